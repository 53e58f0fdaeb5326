import { ActionIcon, Button, Tooltip } from '@mantine/core'
import { type Snippet, deleteSnippet } from '@muster/contract/api/snippets'
import { IconTrash } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { GuardedDialog } from '../../../app/dialogs/GuardedDialog.tsx'
import { ListDialog, NewButton } from '../../../app/dialogs/ListDialog.tsx'
import { RemoveDialog } from '../../../app/dialogs/RemoveDialog.tsx'
import { call } from '../../../app/api/api.ts'
import { type AddressedDialogProps, useRecordAddress } from '../../../app/dialogs/use-dialog.ts'
import { useMay } from '../../../app/api/queries.ts'
import { CopyText } from '../../../ui/inputs/CopyText.tsx'
import { ListRow, RowDetail } from '../../../ui/table/ListRows.tsx'
import { SHELL_LABELS } from '../script-labels.ts'
import { snippetsQuery } from './SnippetDialog.tsx'

const TITLE = 'Snippets'

/** Pieces of code that scripts include by name. */
export function SnippetsDialog({ close }: AddressedDialogProps) {
  return (
    <GuardedDialog title={TITLE} needs="can_list_scripts" onClose={close}>
      <Snippets onClose={close} />
    </GuardedDialog>
  )
}

function Snippets({ onClose }: { onClose: () => void }) {
  const mayManage = useMay('can_manage_scripts')
  const { openRecord } = useRecordAddress('snippets', 'snippet')
  const snippets = useQuery(snippetsQuery)
  const [removing, setRemoving] = useState<Snippet>()
  return (
    <>
      <ListDialog
        title={TITLE}
        onClose={onClose}
        rows={snippets}
        empty="No snippets yet. Scripts include a snippet as {{name}}."
        create={mayManage && <NewButton onClick={() => openRecord('new')}>New snippet</NewButton>}
        searchText={({ name, desc }) => `${name}\n${desc}`}
      >
        {(snippet) => (
          <ListRow
            key={snippet.id}
            name={snippet.name}
            actions={
              <>
                <Button
                  variant="default"
                  aria-label={`${mayManage ? 'Edit' : 'View'} ${snippet.name}`}
                  onClick={() => openRecord(snippet.id)}
                >
                  {mayManage ? 'Edit' : 'View'}
                </Button>
                {mayManage && (
                  <Tooltip label="Delete">
                    <ActionIcon aria-label={`Delete ${snippet.name}`} onClick={() => setRemoving(snippet)}>
                      <IconTrash size={16} stroke={1.75} />
                    </ActionIcon>
                  </Tooltip>
                )}
              </>
            }
          >
            <RowDetail>
              {SHELL_LABELS[snippet.shell]} ·{' '}
              <CopyText text={`{{${snippet.name}}}`} label={`Copy name of ${snippet.name}`} />
            </RowDetail>
            {snippet.desc !== '' && <RowDetail>{snippet.desc}</RowDetail>}
          </ListRow>
        )}
      </ListDialog>
      {removing !== undefined && <RemoveSnippet snippet={removing} onClose={() => setRemoving(undefined)} />}
    </>
  )
}

function RemoveSnippet({ snippet, onClose }: { snippet: Snippet; onClose: () => void }) {
  return (
    <RemoveDialog
      title={`Delete ${snippet.name}?`}
      message="Scripts that include it will likely fail."
      remove={() => call(deleteSnippet, { params: { id: snippet.id } })}
      done="Snippet deleted."
      stale={snippetsQuery.queryKey}
      onClose={onClose}
    />
  )
}
