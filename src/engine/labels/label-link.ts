/** The link under which we serve a label; whoever knows the id may read it, so ids are unguessable. */
export const labelLink = (publicUrl: string, labelId: string): string =>
  `${publicUrl.replace(/\/+$/, '')}/v2/labels/${labelId}`;
