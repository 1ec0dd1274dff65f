/** Text and Markdown as HTML. Whatever comes, what comes out is text and the elements written here. */

export const escapeHtml = (raw: string): string =>
  raw.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

/** A sentence: back-ticks set off code, `**` what is strong; links lead to places of the page, others are their text. */
export const prose = (raw = ''): string =>
  raw
    .split(/(`[^`]+`)/)
    .map((part) =>
      part.startsWith('`') && part.length > 1
        ? `<code>${escapeHtml(part.slice(1, -1))}</code>`
        : escapeHtml(part)
            .replaceAll(/\*\*([^*]+)\*\*/g, '<b>$1</b>')
            .replaceAll(/\[([^\]]+)\]\(#([\w-]+)\)/g, '<a href="#$2">$1</a>')
            .replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1'),
    )
    .join('');

/** What a heading is linked by, as code hosts have it. */
export const slugOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-');

/** Headings, paragraphs, lists, tables and fenced code. */
export const renderMarkdown = (markdown: string): string =>
  (markdown.match(/```\w*\n[^]*?\n```|[^\n]+(?:\n(?!```)[^\n]+)*/g) ?? []).map(blockOf).join('\n');

const blockOf = (block: string): string => {
  const [first = '', ...rest] = block.split('\n');
  if (first.startsWith('```')) return `<pre><code>${escapeHtml(rest.slice(0, -1).join('\n'))}</code></pre>`;
  const [, marks, heading = ''] = /^(#+) (.*)$/.exec(first) ?? [];
  if (marks !== undefined) {
    const level = Math.min(marks.length, 6);
    const below = rest.length === 0 ? '' : blockOf(rest.join('\n'));
    return `<h${level} id="${slugOf(heading)}">${prose(heading)}</h${level}>\n${below}`;
  }
  if (first.startsWith('|')) return tableOf([first, ...rest.slice(1)]);
  if (first.startsWith('- '))
    return `<ul>${block
      .split(/^- /m)
      .slice(1)
      .map((item) => `<li>${prose(item)}</li>`)
      .join('')}</ul>`;
  return `<p>${prose(block)}</p>`;
};

const tableOf = ([head = '', ...rows]: readonly string[]): string =>
  `<table>${rowOf(head, 'th')}${rows.map((line) => rowOf(line, 'td')).join('')}</table>`;

const rowOf = (line: string, cell: 'th' | 'td'): string => {
  const cells = line.split('|').slice(1, -1);
  return `<tr>${cells.map((text) => `<${cell}>${prose(text.trim())}</${cell}>`).join('')}</tr>`;
};
