/** Barcodes by the camera, where the browser reads them. */
import { button, el } from './dom.ts';

interface Detector {
  detect(source: HTMLVideoElement): Promise<readonly { readonly rawValue: string }[]>;
}
type DetectorClass = new () => Detector;
const detectorClass = (): DetectorClass | undefined =>
  (globalThis as { BarcodeDetector?: DetectorClass }).BarcodeDetector;

export const canScan = (): boolean => detectorClass() !== undefined && navigator.mediaDevices !== undefined;

const LOOK_EVERY_MS = 200;

/** Shows what the camera sees until a code is read, or the driver closes it. */
export const scan = async (take: (text: string) => void): Promise<void> => {
  const Detector = detectorClass();
  if (Detector === undefined) return;
  const video = el('video', { autoplay: true, playsinline: true, muted: true, 'aria-label': 'Camera' });
  const says = el('p', { role: 'status' }, 'Hold the code before the camera.');
  const dialog = el(
    'dialog',
    { 'aria-label': 'Scan', class: 'camera' },
    video,
    says,
    button('Close', () => dialog.close()),
  );
  document.body.append(dialog);
  dialog.showModal();
  let stream: MediaStream | undefined;
  dialog.addEventListener('close', () => {
    for (const track of stream?.getTracks() ?? []) track.stop();
    dialog.remove();
  });
  try {
    stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment' } });
  } catch {
    says.replaceChildren('The camera cannot be used: allow it in the settings of the browser, or type the number.');
    return;
  }
  video.srcObject = stream;
  if (!dialog.open) for (const track of stream.getTracks()) track.stop();
  const detector = new Detector();
  while (dialog.open) {
    const [code] = video.readyState < 2 ? [] : await detector.detect(video).catch(() => []);
    if (code !== undefined && dialog.open) {
      dialog.close();
      navigator.vibrate?.(50);
      take(code.rawValue);
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
};
