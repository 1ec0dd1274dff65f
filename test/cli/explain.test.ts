import { expect, test } from 'vitest';
import { ACME, folderWith, PING, waybill } from './spawning.ts';

const FILES = {
  'carriers/acme.yaml': `${ACME.replace('get: /ping', "get: '/ping/${settings.depot}'")}settings: { depot: { example: D7 } }\nstatuses: { table: { OK: In Transit } }\n`,
  'fixtures/acme/ping.yaml': PING.replace('/ping', '/ping/D7'),
};

test('a case is explained, as text and as JSON', async () => {
  const home = folderWith(FILES);
  expect(await waybill(['explain', 'acme', 'ping'], { home })).toEqual({
    code: 0,
    error: '',
    out: `acme: it is there

probe/probe: GET https://api.acme.example/ping/D7
  url = "D7"
    carriers/acme.yaml:9:26 ← settings.depot
  answered 200: succeed
    ✓ built in
`,
  });
  const { exchanges } = JSON.parse((await waybill(['explain', 'acme', 'ping', '--json'], { home })).out) as {
    exchanges: unknown[];
  };
  expect(exchanges).toEqual([
    {
      operation: 'probe',
      step: 'probe',
      method: 'GET',
      url: 'https://api.acme.example/ping/D7',
      status: 200,
      outcome: 'succeed',
      values: [
        {
          path: 'url',
          value: 'D7',
          reads: ['settings.depot'],
          shipper: [],
          file: 'carriers/acme.yaml',
          line: 9,
          column: 26,
        },
      ],
      rules: [],
    },
  ]);
});

test('a status is explained; what is not there is misuse, with what may be meant', async () => {
  const home = folderWith(FILES);
  expect((await waybill(['explain', 'acme', '--status', 'ok'], { home })).out).toBe(
    'acme: ok is In Transit\n  ✓ carriers/acme.yaml:11:22 OK: In Transit\n',
  );
  expect(await waybill(['explain', 'acne', 'ping'], { home })).toMatchObject({
    code: 2,
    error: expect.stringContaining('did you mean "acme"?'),
  });
  expect(await waybill(['explain', 'acme', 'pign'], { home })).toMatchObject({
    code: 2,
    error: expect.stringContaining('did you mean "ping"?'),
  });
  expect((await waybill(['explain', 'acme'], { home })).code).toBe(2);
});
