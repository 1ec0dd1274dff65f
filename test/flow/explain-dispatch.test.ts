import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { typed } from '../cli/home.ts';
import { environmentOf } from './server.ts';
import { flowWorld } from './world.ts';

const profile = (url: string): string => `carrier: plain
name: Plain Carrier
services: { Standard: { typeOfService: STANDARD, code: STD } }
environments:
  production: { url: '${url}' }
credentials:
  token: { secret: true }
auth: { bearer: { token: '\${credentials.token}' } }
operations:
  create:
    post: '/\${consignment.referenceId}'
    body:
      json:
        referenceId: \${consignment.referenceId}
        key: \${credentials.token}
        itemList: '\${[consignment.itemList.{ "itemReferenceNumber": itemReferenceNumber }]}'
    outcomes:
      - { status: 4xx, do: reject }
      - { when: 'response.body.status = 500', do: fail }
      - { when: 'response.body.referenceId = consignment.referenceId', do: succeed }
    result: '{ "itemsTrackDetails": response.body.itemsTrackDetails }'
`;

describe('waybill explain --dispatch', () => {
  const flow = flowWorld({ profiles: (url) => ({ plain: profile(url) }) });
  const { database } = flow;
  let dispatchId: number;

  const explain = async (...args: string[]) => {
    const env = environmentOf(await flow.where(), 0);
    return await typed(['explain', ...args], { home: flow.home, env });
  };
  // oxlint-disable-next-line typescript/no-explicit-any -- as deep as it goes
  const explained = async (): Promise<any> =>
    JSON.parse((await explain('--dispatch', String(dispatchId), '--json')).out);

  beforeAll(async () => {
    const reply = await flow.create('REF-1', 2);
    expect(reply.body).toMatchObject({ status: 'OK' });
    const { rows } = await database.pool.query<{ id: number }>('select id from dispatches');
    dispatchId = rows[0]?.id ?? 0;
    // The one on disk is another by now.
    const now = profile(flow.carrier.url).replace('/${consignment.referenceId}', '/new/${consignment.orderNumber}');
    await writeFile(path.join(flow.home, 'carriers/plain.yaml'), now);
  });

  it('leads each value that was sent back to the shipper’s field, by the version of then and without asking anybody', async () => {
    const asked = flow.carrier.seen.length;
    const { dispatch, notes, exchanges, results, ...rest } = await explained();
    expect(flow.carrier.seen).toHaveLength(asked);
    expect({ ...rest, dispatch, notes }).toEqual({
      carrier: 'plain',
      dispatch: { id: dispatchId, operation: 'create', state: 'done', profileHash: expect.any(String) },
      notes: [],
      events: [],
      ended: [],
    });
    const url = `${flow.carrier.url}/REF-1`;
    expect(exchanges).toMatchObject([{ operation: 'create', method: 'POST', url, status: 200, outcome: 'succeed' }]);
    expect(exchanges[0].values).toContainEqual({
      path: 'url',
      value: 'REF-1',
      reads: ['consignment.referenceId'],
      shipper: ['consignmentDetails.referenceNumber'],
      file: 'carriers/plain.yaml',
      line: 11,
      column: 15,
    });
    expect(exchanges[0].values).toContainEqual(
      expect.objectContaining({
        path: 'body.itemList.1.itemReferenceNumber',
        value: 'PKG-2',
        shipper: ['consignmentDetails.packageDetails[1].id'],
      }),
    );
    expect(exchanges[0].rules).toMatchObject([
      { do: 'reject', matched: false, why: 'the status is 200, not 400–499' },
      { do: 'fail', matched: false, why: expect.stringContaining('does not hold: it is false') },
      { do: 'succeed', matched: true, why: expect.stringContaining('holds') },
    ]);
    expect(results).toContainEqual(expect.objectContaining({ value: 'T-REF-1-PKG-1' }));
  });

  it('shows as masked what is a secret', async () => {
    const { exchanges } = await explained();
    expect(exchanges[0].values).toContainEqual(expect.objectContaining({ path: 'body.key', value: '***' }));
    const { out } = await explain('--dispatch', String(dispatchId));
    expect(out).toContain(`plain: dispatch ${dispatchId}, create, done, with version `);
    expect(out).toContain('✓ carriers/plain.yaml:');
    expect(out).not.toContain('carrier-token-1');
  });

  it('says so where the version of then is not to be had', async () => {
    await database.pool.query(`update profile_versions set bundle = '{"code":"plain","files":{}}'`);
    const { notes, exchanges } = await explained();
    expect(notes).toEqual([expect.stringMatching(/no longer compiles: this is what the one on disk does$/)]);
    expect(exchanges[0].values).toContainEqual(
      expect.objectContaining({ path: 'url', value: 'O-REF-1', reads: ['consignment.orderNumber'] }),
    );
  });

  it('tells what would be asked where nothing is recorded of it', async () => {
    await database.pool.query('delete from exchanges');
    const asked = flow.carrier.seen.length;
    const { notes, exchanges } = await explained();
    expect(flow.carrier.seen).toHaveLength(asked);
    expect(notes).toContainEqual(expect.stringContaining('no exchange is recorded'));
    expect(exchanges).toMatchObject([{ operation: 'create', outcome: 'not_recorded' }]);
    expect(exchanges[0].values).toContainEqual(expect.objectContaining({ path: 'url', value: 'O-REF-1' }));
  });

  it('is misuse for what is not there', async () => {
    for (const [args, error] of [
      [['--dispatch', '999999'], 'waybill: there is no dispatch 999999\n'],
      [['--dispatch', 'REF-1'], ''],
      [['plain', '--dispatch', '1'], ''],
    ] as const)
      expect(await explain(...args)).toMatchObject({ code: 2, out: '', error: expect.stringContaining(error) });
  });
});
