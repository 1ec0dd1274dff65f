import type { Roots, EvaluationContext } from '../../mapping/mapping.ts';
import type { Auth } from '../../profile/carrier.ts';
import { type PlainRequest, setQuery } from '../request.ts';
import { sign, type SignedRequest } from './signature.ts';

/** Signatures come last, over the finished request, and into it. */
export const signRequest = async (
  auths: readonly Auth[],
  request: PlainRequest & { headers: Record<string, string> },
  roots: Roots,
  context: EvaluationContext,
): Promise<void> => {
  for (const auth of auths) {
    if (auth.kind !== 'signature') continue;
    const { url, headers } = request;
    const seen: SignedRequest = {
      method: request.method,
      url: url.href,
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers,
      body: request.content,
      text: request.body?.toString() ?? '',
    };
    const signed = await sign(auth, request.body ?? Buffer.alloc(0), { ...roots, request: seen }, context);
    if (signed.in === 'header') headers[signed.field.toLowerCase()] = signed.value;
    else setQuery(url, signed.field, signed.value);
  }
};
