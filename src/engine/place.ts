/** Where something stands in a file that a person wrote. Lines and columns count from 1. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** `carriers/acme.yaml:12:5`, the form that editors and terminals make clickable. */
export const formatPlace = (place: Place): string => `${place.file}:${place.line}:${place.column}`;
