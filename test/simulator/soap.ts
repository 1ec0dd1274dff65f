// Calls a simulated SOAP carrier, and reads its answer as elements.
import { type Element, inside, readXml } from '../../simulator/xml.ts';

export interface SoapCalled {
  readonly status: number;
  readonly type: string;
  readonly root: Element | null;
  /** What the SOAP body holds. */
  readonly payload: Element | undefined;
}

export async function postXml(url: string, body: string, headers: Record<string, string> = {}): Promise<SoapCalled> {
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'text/xml', ...headers }, body });
  const root = readXml(await response.text());
  const type = response.headers.get('content-type') ?? '';
  return { status: response.status, type, root, payload: inside(root, 'Body')?.children[0] };
}
