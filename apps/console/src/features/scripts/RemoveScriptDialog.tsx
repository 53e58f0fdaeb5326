import { type Script, deleteScript, listScripts } from '@muster/contract/api/scripts'
import { RemoveDialog } from '../../app/dialogs/RemoveDialog.tsx'
import { call } from '../../app/api/api.ts'
import { queryKey } from '../../app/api/query-key.ts'

/** Asks before a script is deleted for good. */
export function RemoveScriptDialog({ script, onClose }: { script: Script; onClose: () => void }) {
  return (
    <RemoveDialog
      title={`Delete ${script.name}?`}
      message="The script is deleted for good. What was run with it stays in the history of the machines."
      typed="yes"
      remove={() => call(deleteScript, { params: { id: script.id } })}
      done={`${script.name} is deleted.`}
      stale={queryKey(listScripts)}
      onClose={onClose}
    />
  )
}
