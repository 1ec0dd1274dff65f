/** The own fleet on the server that people use, with a day ahead: it is early in the morning where its depot is. */
import { beforeAll } from 'vitest';
import { COMPANIONS } from '../../src/cli/extensions.ts';
import type { Board, Plan } from '../../console/src/fleet/shapes.ts';
import type { Reply } from '../flow/server.ts';
import { flowWorld } from '../flow/world.ts';
import { until } from '../support/until.ts';
import { consignment, furnish } from './world.ts';

const EARLY = 6;
const HOUR_MS = 3_600_000;

/** Of fixed offset; the names of these zones have the sign of the other side. */
const morning = () => {
  const offset = ((EARLY - new Date().getUTCHours() + 36) % 24) - 12;
  const timeZone = offset === 0 ? 'UTC' : `Etc/GMT${offset > 0 ? '-' : '+'}${Math.abs(offset)}`;
  return { timeZone, day: new Date(Date.now() + offset * HOUR_MS).toISOString().slice(0, 10) };
};

/** `orders` consignments around the depot, each to another person; every fourth with something to be installed. */
export const servedFleet = ({ orders }: { readonly orders: number }) => {
  const { timeZone, day } = morning();
  const world = flowWorld({ companions: COMPANIONS });
  const ask = async (method: string, path: string, body?: unknown): Promise<Reply['body']> => {
    const reply = await world.asAdmin(method, `/fleet/v1${path}`, body);
    if (reply.status !== 200) throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
    return reply.body;
  };
  let link = '';
  const send = async (number: number, more: object = {}): Promise<void> => {
    const box = { itemQuantity: 1, itemWeight: 5, itemWeightUom: 'KG' };
    const order = consignment(`R-${number}`, {
      shippingDateTime: `${day} 06:00:00`,
      destinationName: `Example Person ${number}`,
      destinationLatitude: String(52.5 + (number % 8) / 150),
      destinationLongitude: String(13.35 + Math.floor(number / 8) / 100),
      itemList: [1, 2].map((at) => ({ itemReferenceNumber: `PKG-${number}-${at}`, ...box })),
      ...(number % 4 === 0 ? { vas: [{ vasCode: 'INSTALLATION', targetIds: [`PKG-${number}-1`] }] } : {}),
      ...more,
    });
    const { status, body } = await world.as(() => link)('POST', '/fleet/v1/carrier/consignments', order);
    if (status !== 200) throw new Error(`order ${number}: ${JSON.stringify(body)}`);
  };
  beforeAll(async () => {
    const put = async (kind: string, code: string, data: object): Promise<void> =>
      void (await ask('PUT', `/resources/${kind}/${code}`, kind === 'depots' ? { ...data, timeZone } : data));
    await furnish({ put });
    const made = await ask('POST', '/links', {
      name: 'shop',
      statusToken: 'status-token-of-test',
      statusUrl: `${world.receiver.url}/statuses`,
    });
    link = String(made['token']);
    for (let number = 1; number <= orders; number += 1) await send(number);
  });
  const board = async (): Promise<Board> => (await ask('GET', `/board?depot=BER&day=${day}`)) as unknown as Board;
  const plan = async (): Promise<Board> => {
    const started = await ask('POST', '/plans', { depot: 'BER', day, iterations: 50, objective: 'vehicles' });
    const path = `/plans/${String(started['planId'])}`;
    let plan: Partial<Plan> = {};
    await until('the plan is made', async () => {
      plan = await ask('GET', path);
      return plan.state !== 'solving';
    });
    return (await ask('POST', `${path}/adopt`)) as unknown as Board;
  };
  const driverToken = async (driver: string): Promise<string> =>
    String((await ask('POST', `/resources/drivers/${driver}/token`, {}))['token']);
  return Object.assign(world, { day, ask, send, board, plan, driverToken });
};
