import { Text } from '@mantine/core'
import { type KeyStoreEntry, deleteKey } from '@muster/contract/api/keystore'
import { RemoveDialog } from '../../app/dialogs/RemoveDialog.tsx'
import { call } from '../../app/api/api.ts'
import { keyStoreQuery } from './keystore-query.ts'

/** Asks before a key is deleted. */
export function RemoveKey({ entry, onClose }: { entry: KeyStoreEntry; onClose: () => void }) {
  return (
    <RemoveDialog
      title="Delete this key?"
      message={
        <Text>
          Scripts that name <bdi>{entry.name}</bdi> are not run any more until it is stored again. Its value
          cannot be brought back.
        </Text>
      }
      remove={() => call(deleteKey, { params: { id: entry.id } })}
      done="Key deleted."
      stale={keyStoreQuery.queryKey}
      onClose={onClose}
    />
  )
}
