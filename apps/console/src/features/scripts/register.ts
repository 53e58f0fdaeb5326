import type { Script } from '@muster/contract/api/scripts'
import { useQueryClient } from '@tanstack/react-query'
import { useMay } from '../../app/api/queries.ts'
import { allScriptsQuery } from './all-scripts-query.ts'
import { type DialogLoaders, useDialog } from '../../app/dialogs/use-dialog.ts'
import { usePaletteSource } from '../../app/shell/palette.ts'

export const scriptDialogs = {
  scripts: () => import('./ScriptsDialog.tsx').then((file) => file.ScriptsDialog),
  script: () => import('./ScriptDialog.tsx').then((file) => file.ScriptDialog),
  'script-versions': () => import('./VersionsDialog.tsx').then((file) => file.VersionsDialog),
  snippets: () => import('./snippets/SnippetsDialog.tsx').then((file) => file.SnippetsDialog),
  snippet: () => import('./snippets/SnippetDialog.tsx').then((file) => file.SnippetDialog),
} satisfies DialogLoaders

export function useScriptSource(): void {
  const queryClient = useQueryClient()
  const { open } = useDialog()
  const allowed = useMay('can_list_scripts')
  usePaletteSource('scripts', async (text) => {
    if (!allowed || text === '') return []
    const scripts = await queryClient.ensureQueryData(allScriptsQuery)
    return scripts
      .filter(({ hidden }: Script) => !hidden)
      .map(({ id, name, category, description }: Script) => ({
        id: `script ${id}`,
        group: 'Scripts',
        label: name,
        hint: category,
        words: description,
        run: () => open('script', id),
      }))
  })
}
