import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { callsWithoutSchemas } from './calls-without-schemas.ts'
import { inlineRuntime } from './inline-runtime.ts'

const EXPORT = /^export (?:const|function) (\w+)/gm

/** Leaves out what zod needs to describe its schemas as JSON: the server does that, and a browser never. */
function zodWithoutJsonSchema(): Plugin {
  return {
    name: 'zod-without-json-schema',
    enforce: 'pre',
    transform: {
      filter: { id: /\/zod\/v4\/core\/(to-json-schema|json-schema-processors)\.js$/ },
      handler(code) {
        const names = Array.from(code.matchAll(EXPORT), ([, name]) => name)
        if (code.includes('processSchema as process')) names.push('process')
        // Every schema is given a method of the first kind when it is made.
        return `const left = () => () => { throw new Error('The console describes no schemas.') }
          export { ${names.map((name) => `left as ${name}`).join(', ')} }`
      },
    },
  }
}

const AWAITED = 'supportsWebCodecsH264Decode = await _checkWebCodecsH264DecodeSupport();'

/**
 * noVNC waits at its beginning until it knows whether the browser plays H.264. A part of the program that waits makes
 * the bundler cut the file that is loaded first in two; so it learns that a moment later.
 */
function noVncWithoutAwait(): Plugin {
  return {
    name: 'novnc-without-await',
    enforce: 'pre',
    transform: {
      filter: { id: /@novnc\/novnc\/core\/util\/browser\.js$/ },
      handler(code) {
        if (!code.includes(AWAITED)) throw new Error('noVNC does not wait where it used to')
        return code.replace(
          AWAITED,
          '_checkWebCodecsH264DecodeSupport().then((is) => { supportsWebCodecsH264Decode = is }, () => {});',
        )
      },
    },
  }
}

// `vite dev` against a running server: MUSTER_API=http://127.0.0.1:8420 npx vite apps/console
const api = process.env.MUSTER_API ?? 'http://127.0.0.1:8420'
// Paths of the server end in a slash; screens and Vite's files do not.
const API = String.raw`^/[^?]+/(\?|$)`

export default defineConfig({
  plugins: [react(), callsWithoutSchemas(), noVncWithoutAwait(), zodWithoutJsonSchema(), inlineRuntime()],
  build: {
    target: 'es2022',
    outDir: 'dist',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1200,
    rolldownOptions: {
      // A schema that nothing parses with is left out.
      treeshake: { manualPureFunctions: ['z'] },
      output: {
        // One file for the first screen: sixty small ones would queue behind six connections.
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
