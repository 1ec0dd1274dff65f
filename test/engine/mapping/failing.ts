import { Failure } from '../../../src/engine/failure.ts';

/** The `Failure` that something ends in; anything else fails the test. */
export async function failureOf(run: () => unknown): Promise<Failure> {
  try {
    await run();
  } catch (thrown) {
    if (thrown instanceof Failure) return thrown;
    throw thrown;
  }
  throw new Error('it did not fail');
}
