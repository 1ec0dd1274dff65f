/** The routes of the console's playground: drafts of carriers are computed here as `lint`, `test`, `explain` and `new` do. */
import path from 'node:path';
import type { FastifyReply } from 'fastify';
import { type TSchema, Type } from 'typebox';
import { codesOf } from '../engine/profile/chain.ts';
import { directoryFiles } from '../engine/profile/home-files.ts';
import { tooMuch, yieldTurn } from '../platform/api/admission.ts';
import { conflict, forbidden, type HttpAnswer, invalid, notFound, ok, wrong } from '../platform/api/http-answer.ts';
import * as f from '../platform/api/query-fields.ts';
import { json, named, routesOf } from '../platform/api/route.ts';
import type { Extension } from '../platform/processes/api.ts';
import { tryAccount } from '../platform/processes/try-account.ts';
import { recordAudit } from '../platform/records/audit.ts';
import { canonicalOf, findConsignmentById } from '../platform/records/consignments.ts';
import { writeYaml } from '../workbench/cases/correct-yaml.ts';
import { outcomeName, shownResult } from '../workbench/cases/shown.ts';
import { isFileOf, textsOf } from '../workbench/playground/draft.ts';
import { createCleaner } from '../workbench/replay/anonymise.ts';
import { isWritable, saveFiles, versionOf } from './playground-save.ts';
import * as shapes from './playground-shapes.ts';
import type { Job, Work } from './playground-worker.ts';
import { createTurns } from './playground-turns.ts';

const AREA = { auth: 'admin', tag: 'Admin' } as const;
const FAILED = { 422: json(named('ErrorReply'), 'Nothing can be made of the draft or the samples.') };
const PACKAGE_ROOT = path.resolve(import.meta.dirname, '../..');

/** Undefined: all of them are files of the carrier. */
const strange = (carrier: string, paths: readonly string[]): HttpAnswer | undefined => {
  const one = paths.find((each) => !isFileOf(carrier, each));
  return one === undefined ? undefined : wrong(`${one.slice(0, 200)} is no file of the carrier ${carrier}`);
};

export const playground: Extension = (platform) => (scope, deps) => {
  const route = routesOf(scope, deps, AREA);
  const { pool, carriers } = platform;
  const { home } = platform.config;
  const files = directoryFiles(home);
  const { compute, end } = createTurns(home, PACKAGE_ROOT);
  scope.addHook('onClose', async () => end());
  const computed = async <Kind extends keyof Work>(
    actor: string,
    job: Job<Kind>,
    { raw }: FastifyReply,
  ): Promise<HttpAnswer> => {
    const done = await yieldTurn(async () => await compute(actor, job, () => raw.destroyed));
    if (done === 'busy') return tooMuch();
    if ('text' in done) return ok(done.text, { 'Content-Type': 'application/json; charset=utf-8' });
    const { message, help } = done.failure;
    return invalid(message, [message, ...(help === undefined ? [] : [help])], 'draft_failed');
  };
  /** A route that has something computed of a draft. */
  const drafting = <Body extends TSchema, Kind extends keyof Work>(
    on: `POST ${string}`,
    text: {
      readonly id: string;
      readonly summary: string;
      readonly kind: Kind;
      readonly body: Body;
      readonly reply: object;
    },
    given: (body: Type.Static<Body>) => Parameters<Work[Kind]>[0],
  ) => {
    const { kind, reply, ...rest } = text;
    route(on, {
      ...rest,
      role: 'operate',
      reply: [reply, 'Nothing is sent or written.'],
      answers: FAILED,
      handle: async ({ body, actor, reply: sent }) => {
        const { carrier, files: edited = {}, path: one } = body as { carrier: string; files?: object; path?: string };
        const refused = strange(carrier, [...Object.keys(edited), ...(one === undefined ? [] : [one])]);
        return refused ?? (await computed(actor, { kind, given: given(body) }, sent));
      },
    });
  };

  route('GET /admin/playground', {
    id: 'openPlayground',
    role: 'operate',
    summary: 'The carriers of the home that may be edited, and whether this server saves them',
    reply: [shapes.Desk, 'As they are now.'],
    handle: () => ok({ mayBeSaved: isWritable(home), carriers: codesOf(files) }),
  });
  route('GET /admin/playground/carriers/:code', {
    id: 'readProfile',
    role: 'operate',
    summary: 'The texts that a carrier is made of: its profile, mappings and cases',
    path: shapes.CarrierPath,
    reply: [shapes.Files, 'Without what is no text.'],
    errors: [404],
    handle: ({ path: { code } }) => {
      if (!codesOf(files).includes(code)) return notFound(`The home has no carrier ${code}`, 'unknown_carrier');
      return ok({ files: textsOf(code, home, files).map((one) => ({ ...one, version: versionOf(one.text) })) });
    },
  });
  drafting(
    'POST /admin/playground/try',
    {
      id: 'tryDraft',
      summary: 'What one case of a draft sends and why, or what keeps it from being read',
      kind: 'try',
      body: shapes.Tried,
      reply: shapes.TryReply,
    },
    ({ case: name, ...draft }) => ({ draft, name }),
  );
  drafting(
    'POST /admin/playground/cover',
    {
      id: 'coverDraft',
      summary: 'What becomes of all cases of a draft, and what none of them comes by',
      kind: 'cover',
      body: shapes.Drafted,
      reply: shapes.CoverReply,
    },
    (draft) => draft,
  );
  drafting(
    'POST /admin/playground/lint',
    {
      id: 'lintDraft',
      summary: 'What is found in a draft, and in one of its cases',
      kind: 'lint',
      body: shapes.Tried,
      reply: shapes.LintReply,
    },
    ({ case: name, ...draft }) => ({ draft, name }),
  );
  drafting(
    'POST /admin/playground/complete',
    {
      id: 'completeDraft',
      summary: 'What may be written at a place of a draft',
      kind: 'complete',
      body: shapes.Placed,
      reply: shapes.CompleteReply,
    },
    ({ path: file, offset, ...draft }) => ({ draft, path: file, offset }),
  );
  drafting(
    'POST /admin/playground/explain',
    {
      id: 'explainDraft',
      summary: 'What the key, name or function at a place of a draft means',
      kind: 'explain',
      body: shapes.Placed,
      reply: shapes.ExplainReply,
    },
    ({ path: file, offset, ...draft }) => ({ draft, path: file, offset }),
  );
  drafting(
    'POST /admin/playground/begin',
    {
      id: 'beginCarrier',
      summary:
        'Makes the profile, mapping and cases of a new carrier from samples: curl, HAR, Postman, OpenAPI, bodies',
      kind: 'begin',
      body: shapes.Begun,
      reply: shapes.BegunFiles,
    },
    (given) => given,
  );
  route('GET /admin/playground/consignments/:id', {
    id: 'takeConsignment',
    role: 'operate',
    summary: 'An order of the records as the given consignment of a case, with invented people',
    path: Type.Object({ id: f.number() }),
    reply: [shapes.Given, 'As last accepted.'],
    errors: [404],
    handle: async ({ path: { id } }) => {
      const record = await findConsignmentById(pool, Number(id));
      if (record === undefined) return notFound(`There is no consignment ${id}`, 'unknown_consignment');
      const { consignment } = createCleaner(new Map(), false).inputs({ consignment: canonicalOf(record) });
      return ok({ text: `${writeYaml(consignment, false)}\n` });
    },
  });
  route('POST /admin/playground/save', {
    id: 'saveProfile',
    role: 'administer',
    summary: 'Writes the files of a carrier into the home, all or none; they count after a reload',
    body: shapes.Saved,
    reply: [shapes.SaveReply, 'With their new versions.'],
    errors: [409],
    handle: async ({ body: { carrier, files: given }, actor }) => {
      if (!isWritable(home)) return forbidden('This server cannot write its home: download the patch');
      const refused = strange(
        carrier,
        given.map((one) => one.path),
      );
      if (refused !== undefined) return refused;
      const failed = saveFiles(home, given);
      if (failed !== undefined)
        return 'changed' in failed
          ? conflict(`${failed.changed} is not as it was read: open the carrier anew`, 'file_changed')
          : forbidden(`Nothing was saved: ${failed.refused}`);
      const detail = given
        .map((one) => one.path)
        .join(', ')
        .slice(0, 2_000);
      await recordAudit(pool, { actor, action: 'save_profile', subject: `carrier:${carrier}`, detail });
      return ok({ saved: given.map((one) => ({ path: one.path, version: versionOf(one.text) })) });
    },
  });
  route('POST /admin/playground/send', {
    id: 'sendDraft',
    role: 'operate',
    summary: 'Sends the create of a case to the carrier with an account of the sandbox',
    description:
      'The carrier may make a shipment of it. Only a draft that is loaded is sent, so that the secrets of accounts go ' +
      'nowhere but where the profiles of this server send them.',
    body: shapes.Sent,
    reply: [shapes.SendReply, 'What came of it; of a dry run, what would be done.'],
    errors: [404, 409],
    answers: FAILED,
    answerWithinMs: 120_000,
    handle: async ({ body: { case: name, account, dryRun = false, ...draft }, actor, reply }) => {
      const refused = strange(draft.carrier, Object.keys(draft.files));
      if (refused !== undefined) return refused;
      const answer = await computed(actor, { kind: 'rehearse', given: { draft, name } }, reply);
      if (answer.status !== 200) return answer;
      const { hash, played } = JSON.parse(String(answer.bodyAt(0))) as Awaited<ReturnType<Work['rehearse']>>;
      if (carriers.find(draft.carrier)?.hash !== hash)
        return conflict(
          'Only what is loaded is sent: save the draft and reload the profiles first',
          'draft_not_loaded',
        );
      const { consignment, service, sent = [] } = played ?? {};
      if (consignment === undefined || sent.length === 0 || played?.actions[0] !== 'create')
        return invalid('The case creates nothing', ['take a case that begins with a create'], 'draft_failed');
      const inputs = dryRun ? undefined : { consignment, service };
      const tried = await tryAccount(platform, { id: account, carrierCode: draft.carrier }, inputs, actor);
      if (tried.kind === 'unknown')
        return notFound(`There is no active sandbox account ${account} with ${draft.carrier}`, 'unknown_account');
      const would = sent.map(({ method, url }) => `${method} ${url}`);
      const said = { account, shipper: tried.shipper, environment: 'sandbox', dryRun, would };
      if (tried.kind === 'possible') return ok({ ...said, baseUrl: tried.baseUrl });
      const { outcome, asked } = tried;
      return ok({
        ...said,
        outcome: outcomeName(outcome),
        ...(outcome.kind === 'done'
          ? { result: shownResult('create', outcome.result) }
          : { problem: outcome.problem.messages.join('; ') }),
        asked: asked.map(({ method, url, status, outcome: end, message }) => ({
          method,
          url,
          status,
          outcome: end,
          message,
        })),
      });
    },
  });
};
