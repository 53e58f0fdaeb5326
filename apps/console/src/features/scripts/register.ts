import type { Script } from '@muster/contract/api/scripts'
import { IconFileCode } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useMay } from '../../app/api/queries.ts'
import { type DialogLoaders, useDialog } from '../../app/dialogs/use-dialog.ts'
import { paletteMachine, usePaletteSource } from '../../app/shell/palette.ts'

export const scriptDialogs = {
  script: () => import('./ScriptDialog.tsx').then((file) => file.ScriptDialog),
  'script-versions': () => import('./VersionsDialog.tsx').then((file) => file.VersionsDialog),
  snippets: () => import('./snippets/SnippetsDialog.tsx').then((file) => file.SnippetsDialog),
  snippet: () => import('./snippets/SnippetDialog.tsx').then((file) => file.SnippetDialog),
} satisfies DialogLoaders

export function useScriptSource(): void {
  const queryClient = useQueryClient()
  const { open } = useDialog()
  const allowed = useMay('can_list_scripts')
  const mayRun = useMay('can_run_scripts')
  usePaletteSource('scripts', `${allowed} ${mayRun}`, async (text) => {
    if (!allowed || text === '') return []
    const { allScriptsQuery } = await import('./all-scripts-query.ts')
    const scripts = await queryClient.ensureQueryData(allScriptsQuery)
    const machine = mayRun ? paletteMachine() : undefined
    return scripts
      .filter(({ hidden }: Script) => !hidden)
      .map(({ id, name, category, description }: Script) => {
        const edit = () => open('script', id)
        const entry = {
          id: `script ${id}`,
          group: 'Scripts',
          label: name,
          icon: IconFileCode,
          hint: category,
          words: description,
        }
        if (machine === undefined) return { ...entry, run: edit }
        return {
          ...entry,
          label: `Run ${name} on ${machine.hostname}`,
          run: () => open('run-script', `${machine.agent_id}.${id}`),
          alternative: { label: 'Edit', run: edit },
        }
      })
  })
}
