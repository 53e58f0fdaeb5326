import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { inlineRuntime } from './inline-runtime.ts'
import { noVncWithoutAwait } from './novnc-without-await.ts'
import { zodWithoutJsonSchema } from './zod-without-json-schema.ts'

// `vite dev` against a running server: MUSTER_API=http://127.0.0.1:8420 npx vite apps/console
const api = process.env.MUSTER_API ?? 'http://127.0.0.1:8420'
// What the server answers ends in a slash, as no screen and no file of Vite's does.
const API = String.raw`^/[^?]+/(\?|$)`

export default defineConfig({
  plugins: [react(), noVncWithoutAwait(), zodWithoutJsonSchema(), inlineRuntime()],
  build: {
    target: 'es2022',
    outDir: 'dist',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1200,
    rolldownOptions: {
      output: {
        // What the first screen needs is one file: sixty small ones would queue behind six connections.
        codeSplitting: { groups: [{ name: 'console', tags: ['$initial'] }] },
      },
    },
  },
  server: {
    proxy: {
      [API]: { target: api, ws: true },
    },
  },
})
