/** A carrier that takes orders by the contract, with labels; the order's reference says how it behaves. */
import { toBuffer } from '@bwip-js/node';
import Pdf from 'pdfkit';
import { listenLocally, textOf } from '../flow/carrier.ts';

interface Asked {
  readonly referenceId: string;
  readonly orderNumber: string;
  readonly carrierCode: string;
  readonly itemList: readonly { readonly itemReferenceNumber: string }[];
}

const pdfOf = async (text: string): Promise<Buffer> => {
  const document = new Pdf({ size: [288, 432] });
  document.fontSize(18).text('Plain Carrier', 24, 24).fontSize(12).text(text, 24, 60).end();
  return Buffer.concat((await document.toArray()) as Buffer[]);
};
const LABELS: Readonly<Record<string, readonly [type: string, bytes: (text: string) => Promise<Buffer> | Buffer]>> = {
  pdf: ['application/pdf', pdfOf],
  png: ['image/png', async (text) => await toBuffer({ bcid: 'code128', text, includetext: true })],
  zpl: ['application/zpl', (text) => Buffer.from(`^XA\n^FO40,40^A0N,40^FD${text}^FS\n^XZ\n`)],
};

export interface ConsoleCarrier {
  readonly url: string;
  /** What it refuses orders with whose reference begins with NO. */
  refuseWith(messages: readonly string[]): void;
  /** From now on the webhook at `/receiver` answers so. */
  receiveWith(status: number): void;
  close(): Promise<void>;
}

/** LOST…: it hangs up once it has read the order. NO…: it refuses. …-ZPL, …-PNG: labels in that format, else PDF. */
export const startConsoleCarrier = async (): Promise<ConsoleCarrier> => {
  let refusal: readonly string[] = ['no service in this area'];
  let received = 500;
  let url = '';
  const listening = await listenLocally(async (request, response) => {
    const [, folder, name = ''] = (request.url ?? '').split('/');
    if (folder === 'receiver') return void response.writeHead(received).end();
    if (folder === 'labels') {
      const [text = '', format = ''] = decodeURIComponent(name).split('.');
      const [type, bytes] = LABELS[format] ?? ['text/plain', (one: string) => Buffer.from(one)];
      return void response.writeHead(200, { 'content-type': type }).end(await bytes(text));
    }
    const { referenceId, orderNumber, carrierCode, itemList } = JSON.parse(await textOf(request)) as Asked;
    if (referenceId.startsWith('LOST')) return void request.socket.destroy();
    const isRefused = referenceId.startsWith('NO');
    const format = /-(ZPL|PNG)$/.exec(referenceId)?.[1]?.toLowerCase() ?? 'pdf';
    const itemsTrackDetails = itemList.map(({ itemReferenceNumber }) => ({
      itemReferenceNumber,
      trackingNumber: `T-${referenceId}-${itemReferenceNumber}`,
      labelUrl: `${url}/labels/${referenceId}-${itemReferenceNumber}.${format}`,
      carrierCode,
      orderNumber,
    }));
    response.writeHead(isRefused ? 400 : 200, { 'content-type': 'application/json' });
    const refused = { status: 400, message: refusal.join(' '), errors: refusal };
    response.end(JSON.stringify(isRefused ? refused : { status: 200, referenceId, timestamp: 1, itemsTrackDetails }));
  });
  ({ url } = listening);
  return {
    url,
    refuseWith: (messages) => void (refusal = messages),
    receiveWith: (status) => void (received = status),
    close: listening.close,
  };
};
