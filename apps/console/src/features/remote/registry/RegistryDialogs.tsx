import {
  createRegistryKey,
  deleteRegistryKey,
  deleteRegistryValue,
  listRegistry,
  renameRegistryKey,
  renameRegistryValue,
} from '@muster/contract/api/registry'
import { useQueryClient } from '@tanstack/react-query'
import { RemoveDialog } from '../../../app/dialogs/RemoveDialog.tsx'
import { call } from '../../../app/api/api.ts'
import { queryKey } from '../../../app/api/query-key.ts'
import { checkKeyName, NameDialog } from './NameDialog.tsx'
import { ValueDialog } from './ValueDialog.tsx'
import type { OpenDialog } from './registry-dialog.ts'

interface RegistryDialogsProps {
  agentId: string
  path: string
  open: OpenDialog
  onPath: (path: string) => void
  onClose: () => void
}

/** Everything that changes the registry asks first. */
export function RegistryDialogs({ agentId, path, open, onPath, onClose }: RegistryDialogsProps) {
  const queryClient = useQueryClient()
  const stale = queryKey(listRegistry)
  const params = { agent_id: agentId }
  const parent = path.slice(0, Math.max(0, path.lastIndexOf('\\')))
  const refresh = () => queryClient.invalidateQueries({ queryKey: stale })
  switch (open.what) {
    case 'new-key':
      return (
        <NameDialog
          title={`New key below ${path}`}
          name=""
          check={checkKeyName}
          save={async (name) => {
            await call(createRegistryKey, { params, body: { path: `${path}\\${name}` } })
            await refresh()
          }}
          onClose={onClose}
        />
      )
    case 'rename-key':
      return (
        <NameDialog
          title={`Rename ${path}`}
          name={path.slice(parent.length + 1)}
          check={checkKeyName}
          save={async (name) => {
            await call(renameRegistryKey, { params, body: { path, new_name: name } })
            onPath(`${parent}\\${name}`)
            await refresh()
          }}
          onClose={onClose}
        />
      )
    case 'delete-key':
      return (
        <RemoveDialog
          title="Delete this key?"
          message={`${path} is deleted with all keys and values below it. This cannot be undone.`}
          remove={async () => {
            await call(deleteRegistryKey, { params, query: { path } })
            onPath(parent)
          }}
          done="The key was deleted."
          stale={stale}
          onClose={onClose}
        />
      )
    case 'new-value':
      return <ValueDialog agentId={agentId} path={path} onDone={() => void refresh()} onClose={onClose} />
    case 'edit-value':
      return (
        <ValueDialog
          agentId={agentId}
          path={path}
          name={open.name}
          onDone={() => void refresh()}
          onClose={onClose}
        />
      )
    case 'rename-value':
      return (
        <NameDialog
          title={`Rename ${open.name === '' ? 'the default value' : open.name}`}
          name={open.name}
          check={(name) => (name === '' ? 'A value with this name is the default value.' : null)}
          save={async (name) => {
            await call(renameRegistryValue, { params, body: { path, old_name: open.name, new_name: name } })
            await refresh()
          }}
          onClose={onClose}
        />
      )
    case 'delete-value':
      return (
        <RemoveDialog
          title="Delete this value?"
          message={`${open.name === '' ? 'The default value' : open.name} of ${path} is deleted.`}
          remove={() => call(deleteRegistryValue, { params, query: { path, name: open.name } })}
          done="The value was deleted."
          stale={stale}
          onClose={onClose}
        />
      )
  }
}
