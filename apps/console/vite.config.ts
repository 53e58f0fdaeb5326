import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { inlineRuntime } from './inline-runtime.ts'
import { noVncWithoutAwait } from './novnc-without-await.ts'

// `vite dev` against a running server: MUSTER_API=http://127.0.0.1:8420 npx vite
const api = process.env.MUSTER_API ?? 'http://127.0.0.1:8420'
const proxied = [
  '/v2',
  '/logout',
  '/logoutall',
  '/accounts',
  '/core',
  '/clients',
  '/scripts',
  '/logs',
  '/docs',
]

export default defineConfig({
  plugins: [react(), noVncWithoutAwait(), inlineRuntime()],
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
      ...Object.fromEntries(proxied.map((path) => [path, { target: api }])),
      // `/agents/…` is also a screen: only what asks for JSON goes to the API.
      '/agents': {
        target: api,
        bypass: (request) => (isPageRequest(request.headers.accept) ? '/index.html' : undefined),
      },
      '/ws': { target: api, ws: true },
    },
  },
})

function isPageRequest(accept: string | undefined): boolean {
  return accept?.includes('text/html') ?? false
}
