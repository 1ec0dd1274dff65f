/** Pictures as proof: photos, made small here, and what is signed on the glass. */
import { button, el } from './dom.ts';

const LONGEST = 1_600;
const QUALITY = 0.8;

const blobOf = async (canvas: HTMLCanvasElement, type: string): Promise<Blob> =>
  await new Promise((resolve, reject) =>
    canvas.toBlob(
      (blob) => (blob === null ? reject(new Error('no picture came of it')) : resolve(blob)),
      type,
      QUALITY,
    ),
  );

/** Upright, and without what the camera wrote into the file, such as the place. */
const smaller = async (file: Blob): Promise<Blob> => {
  const image = await createImageBitmap(file);
  const scale = Math.min(1, LONGEST / Math.max(image.width, image.height));
  const canvas = el('canvas', { width: Math.round(image.width * scale), height: Math.round(image.height * scale) });
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  image.close();
  return await blobOf(canvas, 'image/jpeg');
};

const PHOTOS_MAX = 5;

export const photos = (): { readonly part: HTMLElement; taken(): readonly Blob[] } => {
  const taken: Blob[] = [];
  const shown = el('ul', { class: 'photos' });
  const says = el('p', { role: 'status' });
  const add = async (files: readonly File[]): Promise<void> => {
    says.replaceChildren();
    for (const file of files) {
      if (taken.length === PHOTOS_MAX) return says.replaceChildren(`No more than ${PHOTOS_MAX} photos`);
      const photo = await smaller(file).catch(() => undefined);
      if (photo === undefined) return says.replaceChildren(`${file.name} is not a picture that this device can read`);
      taken.push(photo);
      const url = URL.createObjectURL(photo);
      const item = el('li', {}, el('img', { src: url, alt: `Photo ${taken.length}` }));
      item.append(
        button('Remove', () => {
          taken.splice(taken.indexOf(photo), 1);
          URL.revokeObjectURL(url);
          item.remove();
        }),
      );
      shown.append(item);
    }
  };
  const input = el('input', { type: 'file', accept: 'image/*', capture: 'environment', id: 'photo' });
  input.addEventListener('change', () => {
    const files = [...(input.files ?? [])];
    input.value = '';
    void add(files);
  });
  const part = el(
    'section',
    { 'aria-label': 'Photos' },
    el('label', { class: 'button file' }, 'Take a photo', input),
    shown,
    says,
  );
  return { part, taken: () => [...taken] };
};

const PAD = [600, 240] as const;

/** Dark on white whatever the theme: it is printed. */
export const signature = (): { readonly part: HTMLElement; signed(): Promise<Blob | undefined> } => {
  const [width, height] = PAD;
  const canvas = el('canvas', { width, height, class: 'pad', role: 'img', 'aria-label': 'Signature pad' });
  const context = canvas.getContext('2d');
  let isSigned = false;
  const clear = (): void => {
    isSigned = false;
    if (context === null) return;
    Object.assign(context, {
      fillStyle: '#fff',
      strokeStyle: '#111',
      lineWidth: 3,
      lineCap: 'round',
      lineJoin: 'round',
    });
    context.fillRect(0, 0, width, height);
  };
  clear();
  const placeOf = ({ clientX, clientY }: PointerEvent): [number, number] => {
    const box = canvas.getBoundingClientRect();
    return [((clientX - box.left) / box.width) * width, ((clientY - box.top) / box.height) * height];
  };
  canvas.addEventListener('pointerdown', (event) => {
    event.preventDefault();
    canvas.setPointerCapture(event.pointerId);
    context?.beginPath();
    context?.moveTo(...placeOf(event));
  });
  canvas.addEventListener('pointermove', (event) => {
    if (!canvas.hasPointerCapture(event.pointerId)) return;
    isSigned = true;
    for (const one of event.getCoalescedEvents?.() ?? [event]) context?.lineTo(...placeOf(one));
    context?.stroke();
  });
  const part = el('section', { 'aria-label': 'Signature' }, el('h2', {}, 'Signature'), canvas, button('Clear', clear));
  return { part, signed: async () => (isSigned ? await blobOf(canvas, 'image/png') : undefined) };
};
