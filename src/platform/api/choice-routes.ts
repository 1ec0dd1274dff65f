/** What a policy would choose: nothing is recorded, and no carrier gets an order. */
import { Type } from 'typebox';
import { choiceEntry, rankedOf } from '../../engine/policy/chosen.ts';
import { issueAt } from '../../engine/validate.ts';
import { consider, policyNamed } from './choosing.ts';
import { ChoiceReply } from './consignment-shapes.ts';
import { stamped } from './http-answer.ts';
import { brokenRules } from './order-intake.ts';
import { type AddRoutes, named, routesOf } from './route.ts';

export const addChoiceRoutes: AddRoutes = (scope, deps) => {
  const route = routesOf(scope, deps, { auth: 'shipper', tag: 'Checkout' });
  route('POST /v2/carriers/choose', {
    id: 'chooseCarrier',
    summary: 'Which carrier a policy would choose for a consignment, and why not the others',
    description: 'The body is that of a create whose `carrier.code` is a policy, or AUTO. Nothing is recorded.',
    body: Type.Unsafe<unknown>(named('CreateParcel')),
    readsBody: true,
    reply: [ChoiceReply, 'The choice.'],
    errors: [422],
    answerWithinMs: 15_000,
    handle: async ({ shipper, body }) => {
      const policy = await policyNamed(deps, shipper, body);
      if (policy === undefined || 'code' in policy)
        return brokenRules(
          [policy ?? issueAt('carrier.code', 'policy_known', 'is not a policy of this platform')],
          body,
        );
      const considered = await consider(deps, shipper, body, policy);
      if (considered.kind === 'answered') return considered.answer;
      const { choice } = considered;
      const [first] = rankedOf(choice);
      const { tried: _, ...taken } = {
        tried: [],
        ...(first ? choiceEntry({ ...choice, taken: first[0], tried: [] }) : choice),
      };
      return stamped<ChoiceReply>({ status: 'OK', data: { ...taken, considered: [...choice.considered] } });
    },
  });
};
