/** What the profile does for each operation, as a diagram: condition, request, and how a response is classified. */
import type { CarrierWhole } from '../types.ts';
import { Section } from '../ui.tsx';

type Operation = CarrierWhole['operations'][number];
type Step = Operation['steps'][number];

export const Operations = ({ of: { operations } }: { readonly of: CarrierWhole }) => (
  <>
    {operations.map((operation) => (
      <Section
        key={`${operation.name} ${operation.when ?? ''}`}
        title={operation.when === undefined ? operation.name : `${operation.name}, where ${operation.when}`}
        aside={<code className="faint">{operation.place}</code>}
      >
        <ol className="flow">
          {operation.steps.map((step) => (
            <StepView key={step.id} of={step} />
          ))}
        </ol>
      </Section>
    ))}
  </>
);

const StepView = ({ of: step }: { readonly of: Step }) => (
  <li>
    <h3>
      {step.id} <code className="faint">{step.place}</code>
    </h3>
    {step.when !== undefined && (
      <p>
        only if <code>{step.when}</code>
      </p>
    )}
    {step.forEach !== undefined && (
      <p>
        for each of <code>{step.forEach}</code>
      </p>
    )}
    {step.auth.length > 0 && <p className="faint">authenticated by {step.auth.join(', ')}</p>}
    <p className="request">
      <b>{step.method}</b> <code>{step.url}</code> {step.body !== undefined && <span>body: {step.body}</span>}
    </p>
    {step.response !== undefined && <p className="faint">reads the response as {step.response}</p>}
    {step.outcomes.length > 0 && (
      <ul className="rules">
        {step.outcomes.map((rule, at) => (
          <li key={at}>
            <b>{rule.do.replaceAll('_', ' ')}</b> {rule.status !== undefined && `on ${rule.status}`}{' '}
            {rule.when !== undefined && (
              <>
                if <code>{rule.when}</code>
              </>
            )}
          </li>
        ))}
      </ul>
    )}
    {step.lookup !== undefined && <p className="faint">unknown outcome: looked up by {step.lookup}</p>}
    {step.undo.length > 0 && <p className="faint">undone by {step.undo.join(', then ')}</p>}
  </li>
);
