/** The resources of the fleet, for operators: one by one, or many as JSON or CSV. */
import { Type } from 'typebox';
import { type Issue, issueAt, validator } from '../../engine/validate.ts';
import { type AddRoutes, badRequest, conflict, notFound, ok, reading, routesOf } from '../http.ts';
import { type Imported, readCsv } from './csv.ts';
import { listResources, putResources, readResources, removeResource, resourceIssues, usersOf } from './records.ts';
import { CODE, isKind, type Kind } from './shapes.ts';

const IMPORT_MAX_BYTES = 2 * 1024 * 1024;

const kindOf = (kind: string | undefined): Kind => {
  if (!isKind(kind)) throw notFound(`kind of resource ${kind}`);
  return kind;
};
const readCode = reading(Type.Object({ code: CODE }), 'the path');
const readList = reading(
  Type.Array(Type.Object({ code: CODE, data: Type.Record(Type.String(), Type.Unknown()) }), { maxItems: 5_000 }),
  'the import',
);
const isCode = validator(CODE, 'code');

export const addResourceRoutes: AddRoutes = (scope, deps) => {
  const { database } = deps;
  const route = routesOf(scope, deps);
  scope.addContentTypeParser(
    'text/csv',
    { parseAs: 'string', bodyLimit: IMPORT_MAX_BYTES },
    async (_request: unknown, text: string | Buffer) => String(text),
  );
  route('GET /resources/:kind', {
    who: 'read',
    summary: 'Lists the resources of a kind',
    handle: async ({ path }) => ok({ items: await listResources(database, kindOf(path['kind'])) }),
  });
  route('GET /resources/:kind/:code', {
    who: 'read',
    summary: 'Reads a resource',
    handle: async ({ path }) => {
      const items = await listResources(database, kindOf(path['kind']));
      const found = items.find(({ code }) => code === path['code']);
      if (found === undefined) throw notFound(`${path['code']} among the ${path['kind']}`);
      return ok(found);
    },
  });
  route('PUT /resources/:kind/:code', {
    who: 'administer',
    summary: 'Writes a resource as a whole',
    handle: async ({ path, body }) => {
      const kind = kindOf(path['kind']);
      const { code } = readCode({ code: path['code'] });
      const issues = resourceIssues(kind, body, await readResources(database));
      if (issues.length > 0) throw badRequest(issues);
      await putResources(database, kind, [{ code, data: body }]);
      return ok({ code, data: body });
    },
  });
  route('DELETE /resources/:kind/:code', {
    who: 'administer',
    summary: 'Deletes a resource that nothing uses',
    handle: async ({ path }) => {
      const kind = kindOf(path['kind']);
      const code = path['code'] ?? '';
      const users = await usersOf(database, kind, code);
      if (users.length > 0) throw conflict(`${code} is used by ${users.join(', ')}`, 'in_use');
      if (!(await removeResource(database, kind, code))) throw notFound(`${code} among the ${kind}`);
      if (kind === 'drivers') await database.run`delete from fleet.driver_tokens where driver = ${code}`;
      return ok({ code });
    },
  });
  route('POST /resources/:kind/import', {
    who: 'administer',
    summary: 'Writes many resources, from JSON or CSV',
    bodyLimit: IMPORT_MAX_BYTES,
    handle: async ({ path, body }) => {
      const kind = kindOf(path['kind']);
      const { resources, issues } = typeof body === 'string' ? readCsv(kind, body) : listed(body);
      const known = await readResources(database);
      const codes = new Set<string>();
      const found = resources.flatMap(({ code, data, placeOf }): readonly Issue[] => {
        const named = isCode(code);
        const double = codes.has(code) ? [issueAt(placeOf('code'), 'unique', `names ${code} a second time`)] : [];
        codes.add(code);
        return [
          ...(named.ok ? [] : named.issues.map(({ message }) => issueAt(placeOf('code'), 'malformed', `: ${message}`))),
          ...double,
          ...resourceIssues(kind, data, known).map((issue) => movedTo(issue, placeOf(issue.path))),
        ];
      });
      const all = [...issues, ...found];
      if (all.length > 0) throw badRequest(all.slice(0, 100));
      await putResources(
        database,
        kind,
        resources.map(({ code, data }) => ({ code, data })),
      );
      return ok({ imported: resources.length });
    },
  });
};

const listed = (body: unknown): { readonly resources: readonly Imported[]; readonly issues: readonly Issue[] } => ({
  resources: readList(body).map(({ code, data }, at) => ({
    code,
    data,
    placeOf: (path) => `[${at}]${path === 'code' ? '.code' : `.data${path === '' ? '' : `.${path}`}`}`,
  })),
  issues: [],
});

/** What is wrong is told with the place in what was imported. */
const movedTo = ({ path, message, code }: Issue, place: string): Issue => ({
  path: place,
  code,
  message: `${place}: ${path === '' ? message : message.startsWith(path) ? message : `${path} ${message}`}`,
});
