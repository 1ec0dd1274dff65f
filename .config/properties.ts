// Property tests run on one seed, so that a run says the same twice; another one is tried with FAST_CHECK_SEED.
import { configureGlobal } from 'fast-check';

configureGlobal({ seed: Number(process.env['FAST_CHECK_SEED'] ?? 20_260_501) });
