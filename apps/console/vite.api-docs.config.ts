import { defineConfig, type Plugin } from 'vite'

/** Lines of the library that are replaced. */
const CHANGES = [
  // A joke in base64 in the empty fields for keys, which looks as if there were a key.
  { file: 'RequestAuthTab', from: 'QUxMIFlPVVIgQkFTRSBBUkUgQkVMT05HIFRPIFVT', to: 'None' },
  // Trusted Types refuse text that becomes elements.
  {
    file: 'useCodeMirror',
    from: 'icon.innerHTML = open ? CHEVRON_DOWN : CHEVRON_RIGHT',
    to: "icon.textContent = open ? '\u25be' : '\u25b8'",
  },
] as const

function changedScalar(): Plugin {
  const found = new Set<string>()
  return {
    name: 'changed-scalar',
    transform: {
      filter: { id: /@scalar\/.*(RequestAuthTab|useCodeMirror)/ },
      handler(code) {
        let changed = code
        for (const { from, to } of CHANGES) {
          if (!changed.includes(from)) continue
          found.add(from)
          changed = changed.replaceAll(from, to)
        }
        return changed
      },
    },
    generateBundle() {
      const lost = CHANGES.find(({ from }) => !found.has(from))
      if (lost !== undefined) throw new Error(`Scalar's ${lost.file} has no longer: ${lost.from}`)
    },
  }
}

/** The page at /docs/: a build of its own, so that nothing of it can get into the files of the console. */
export default defineConfig({
  plugins: [changedScalar()],
  build: {
    copyPublicDir: false,
    target: 'es2022',
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 6000,
    rolldownOptions: {
      input: 'api-docs.html',
      output: { codeSplitting: { groups: [{ name: 'api-docs', tags: ['$initial'] }] } },
    },
  },
})
