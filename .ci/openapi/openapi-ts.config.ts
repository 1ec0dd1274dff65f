import { defineConfig } from '@hey-api/openapi-ts';

export default defineConfig({
  input: process.env['OPENAPI'] ?? '',
  output: { path: 'generated/hey', importFileExtension: '.ts' },
  plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
});
