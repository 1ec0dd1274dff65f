import type { FastifySchemaCompiler } from 'fastify';
import type { TSchema } from 'typebox';
import { validator } from '../../engine/validate.ts';
import { issuesBeyondSchema } from '../../engine/consignment/read.ts';
import { badRequest, Refused } from './http-answer.ts';

const NAMES: Readonly<Record<string, string>> = {
  body: 'the request',
  querystring: 'the query',
  params: 'the path',
};

/** Checks a request's parts by their schemas, without changing them, and refuses text that the records cannot hold. */
export const checkRequest: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  // Their schemas serve the documentation: whoever reads a header checks it.
  if (httpPart === 'headers') return leaveToHandler;
  const check = validator(schema, NAMES[httpPart ?? ''] ?? 'the request');
  return (given: unknown) => {
    // No body says as much as an empty one; what must be there is then named, field by field.
    const value = given === null && httpPart === 'body' ? {} : given;
    const outside = issuesBeyondSchema(value);
    if (outside.length > 0) return { error: new Refused(badRequest(outside)) };
    const checked = check(value);
    return checked.ok ? { value: checked.value } : { error: new Refused(badRequest(checked.issues)) };
  };
};

const leaveToHandler = (value: unknown) => ({ value });

/** For bodies whose schema serves the documentation: the order's own reading finds more, and all at once. */
export const checkAllButBody: FastifySchemaCompiler<TSchema> = (part) =>
  part.httpPart === 'body' ? leaveToHandler : checkRequest(part);
