import { type Script, downloadScript, editScript } from '@muster/contract/api/scripts'
import { scriptCan } from '@muster/rules/agents/script-can'
import {
  IconCopy,
  IconDownload,
  IconEye,
  IconEyeOff,
  IconFileCode,
  IconPencil,
  IconStar,
  IconStarOff,
  IconTrash,
} from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { call } from '../../app/api/api.ts'
import { type MenuEntry, divider } from '../../ui/dialog/menu-entry.ts'
import { saveFile } from '../../ui/inputs/save-file.ts'
import { allScriptsQuery } from './all-scripts-query.ts'
import { useScriptAddress } from './use-script-address.ts'

interface ScriptActionsOptions {
  mayManage: boolean
  onRemove: (script: Script) => void
}

const NOT_ALLOWED = 'Your role does not allow it.'

/** What can be done with a script of the library. */
export function useScriptActions({ mayManage, onRemove }: ScriptActionsOptions) {
  const { openScript } = useScriptAddress()
  const mark = useMarkScript()
  const download = useMutation({
    mutationFn: (id: number) => call(downloadScript, { params: { id } }),
    onSuccess: ({ filename, code }) => saveFile(filename, code),
  })
  const toggleFavorite = useCallback(({ id, favorite }: Script) => mark({ id, favorite: !favorite }), [mark])
  const menuOf = (script: Script): MenuEntry[] => {
    const { id, favorite, hidden } = script
    const edit = scriptCan.edit(script)
    const remove = scriptCan.remove(script)
    const refused = mayManage ? undefined : NOT_ALLOWED
    const mayEdit = mayManage && edit.allowed
    return [
      {
        id: 'open',
        label: mayEdit ? 'Edit' : 'View code',
        icon: mayEdit ? IconPencil : IconFileCode,
        shortcut: 'Enter',
        run: () => openScript(id),
      },
      {
        id: 'clone',
        label: 'Clone',
        icon: IconCopy,
        disabledReason: refused,
        run: () => openScript(`clone.${id}`),
      },
      { id: 'download', label: 'Download', icon: IconDownload, run: () => download.mutate(id) },
      divider('marks'),
      {
        id: 'favorite',
        label: favorite ? 'Remove from favourites' : 'Add to favourites',
        icon: favorite ? IconStarOff : IconStar,
        disabledReason: refused,
        run: () => toggleFavorite(script),
      },
      {
        id: 'hidden',
        label: hidden ? 'Show' : 'Hide',
        icon: hidden ? IconEye : IconEyeOff,
        disabledReason: refused,
        run: () => mark({ id, hidden: !hidden }),
      },
      divider('end'),
      {
        id: 'remove',
        label: 'Delete',
        icon: IconTrash,
        danger: true,
        disabledReason: refused ?? (remove.allowed ? undefined : remove.reason),
        run: () => onRemove(script),
      },
    ]
  }
  return { toggleFavorite, menuOf }
}

/** Favourite and hidden are on screen at once; a refusal takes them back. */
function useMarkScript() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: ({ id, ...marks }: { id: number; favorite?: boolean; hidden?: boolean }) =>
      call(editScript, { params: { id }, body: marks }),
    onMutate: ({ id, ...marks }) =>
      queryClient.setQueryData(allScriptsQuery.queryKey, (old) =>
        old?.map((script) => (script.id === id ? { ...script, ...marks } : script)),
      ),
    onSettled: () => queryClient.invalidateQueries({ queryKey: allScriptsQuery.queryKey }),
  }).mutate
}
