import { Text } from '@mantine/core'
import { deleteUrlAction, type UrlAction } from '@muster/contract/api/url-actions'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../app/api/api.ts'
import { useMay } from '../../app/api/queries.ts'
import { GuardedDialog } from '../../app/dialogs/GuardedDialog.tsx'
import { ListDialog, NewButton } from '../../app/dialogs/ListDialog.tsx'
import { RemoveDialog } from '../../app/dialogs/RemoveDialog.tsx'
import { type AddressedDialogProps, useRecordAddress } from '../../app/dialogs/use-dialog.ts'
import { EditAndDelete, ListRow, RowDetail } from '../../ui/table/ListRows.tsx'
import { urlActionsQuery } from './use-url-actions.ts'

const TITLE = 'URL actions'

/** Links that menus make for a machine, a site or a client. */
export function UrlActionsDialog({ close }: AddressedDialogProps) {
  return (
    <GuardedDialog title={TITLE} needs="can_run_urlactions" onClose={close}>
      <UrlActions close={close} />
    </GuardedDialog>
  )
}

function UrlActions({ close }: { close: () => void }) {
  const mayEdit = useMay('can_edit_core_settings')
  const { openRecord } = useRecordAddress('url-actions', 'url-action')
  const actions = useQuery(urlActionsQuery)
  const [removing, setRemoving] = useState<UrlAction>()
  return (
    <>
      <ListDialog
        title={TITLE}
        onClose={close}
        rows={actions}
        searchText={({ name, desc, pattern }) => `${name}\n${desc}\n${pattern}`}
        empty="No URL actions yet. They open your documentation, ticket system or camera page for a machine, a site or a client."
        create={mayEdit && <NewButton onClick={() => openRecord('new')}>New URL action</NewButton>}
      >
        {(action) => (
          <ListRow
            key={action.id}
            name={action.name}
            actions={
              mayEdit ? (
                <EditAndDelete
                  name={action.name}
                  onEdit={() => openRecord(action.id)}
                  onDelete={() => setRemoving(action)}
                />
              ) : null
            }
          >
            {action.desc !== '' && <RowDetail>{action.desc}</RowDetail>}
            <RowDetail>
              <span className="mono">{action.pattern}</span>
            </RowDetail>
          </ListRow>
        )}
      </ListDialog>
      {removing !== undefined && (
        <RemoveDialog
          title="Delete this URL action?"
          message={
            <Text>
              <bdi>{removing.name}</bdi> disappears from all menus. A double click that opened it does nothing
              any more.
            </Text>
          }
          remove={() => call(deleteUrlAction, { params: { id: removing.id } })}
          done="URL action deleted."
          stale={urlActionsQuery.queryKey}
          onClose={() => setRemoving(undefined)}
        />
      )}
    </>
  )
}
