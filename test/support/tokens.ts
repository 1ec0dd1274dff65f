/** The parts of `wb_<kind>_<id>_<secret>`. The secret is base64url, so it may have an underscore of its own. */
export const partsOfToken = (token: string): { kind: string; id: string; secret: string } => {
  const [, kind = '', id = '', ...secret] = token.split('_');
  return { kind, id, secret: secret.join('_') };
};
