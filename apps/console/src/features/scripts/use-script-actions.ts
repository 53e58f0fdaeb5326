import { type Script, downloadScript, editScript, listScripts } from '@muster/contract/api/scripts'
import { scriptCan } from '@muster/rules/script-can'
import {
  IconCopy,
  IconDownload,
  IconEye,
  IconEyeOff,
  IconPencil,
  IconStar,
  IconTrash,
} from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../../app/api.ts'
import { queryKey } from '../../app/query-key.ts'
import { useDialog } from '../../app/use-dialog.ts'
import { type MenuEntry, divider } from '../../ui/menu-entry.ts'
import { saveFile } from '../../ui/save-file.ts'

interface ScriptActionsOptions {
  mayEdit: boolean
  onRemove: (script: Script) => void
}

/** What can be done with a script of the library. */
export function useScriptActions({ mayEdit, onRemove }: ScriptActionsOptions) {
  const queryClient = useQueryClient()
  const { open } = useDialog()
  const { mutate } = useMutation({
    mutationFn: ({ id, ...change }: { id: number; favorite?: boolean; hidden?: boolean }) =>
      call(editScript, { params: { id }, body: change }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: queryKey(listScripts) }),
  })
  const download = useMutation({
    mutationFn: (id: number) => call(downloadScript, { params: { id } }),
    onSuccess: ({ filename, code }) => saveFile(filename, code),
  })
  const toggleFavorite = ({ id, favorite }: Script) => mutate({ id, favorite: !favorite })
  const menuOf = (script: Script): MenuEntry[] => {
    const remove = scriptCan.remove(script)
    const look: MenuEntry[] = [
      {
        id: 'download',
        label: 'Download',
        icon: IconDownload,
        run: () => download.mutate(script.id),
      },
    ]
    if (!mayEdit) {
      return [{ id: 'view', label: 'View', icon: IconEye, run: () => open('script', script.id) }, ...look]
    }
    return [
      {
        id: 'edit',
        label: 'Edit',
        icon: IconPencil,
        shortcut: 'Enter',
        run: () => open('script', script.id),
      },
      { id: 'clone', label: 'Clone', icon: IconCopy, run: () => open('script', `clone.${script.id}`) },
      ...look,
      {
        id: 'favorite',
        label: script.favorite ? 'Remove from favourites' : 'Add to favourites',
        icon: IconStar,
        run: () => toggleFavorite(script),
      },
      {
        id: 'hidden',
        label: script.hidden ? 'Show' : 'Hide',
        icon: script.hidden ? IconEye : IconEyeOff,
        run: () => mutate({ id: script.id, hidden: !script.hidden }),
      },
      divider('before-remove'),
      {
        id: 'remove',
        label: 'Delete',
        icon: IconTrash,
        danger: true,
        disabledReason: remove.allowed ? undefined : remove.reason,
        run: () => onRemove(script),
      },
    ]
  }
  return { toggleFavorite, menuOf }
}
