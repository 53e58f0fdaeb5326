import { Text } from '@mantine/core'
import { deleteTag, type Tag } from '@muster/contract/api/tags'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../app/api/api.ts'
import { useMay } from '../../app/api/queries.ts'
import { GuardedDialog } from '../../app/dialogs/GuardedDialog.tsx'
import { ListDialog, NewButton } from '../../app/dialogs/ListDialog.tsx'
import { RemoveDialog } from '../../app/dialogs/RemoveDialog.tsx'
import { type AddressedDialogProps, useRecordAddress } from '../../app/dialogs/use-dialog.ts'
import { EditAndDelete, ListRow, RowDetail } from '../../ui/table/ListRows.tsx'
import { TagList } from './TagList.tsx'
import { tagsQuery } from './tags-query.ts'

const TITLE = 'Tags'

/** All tags, with the number of machines that have them. */
export function TagsDialog({ close }: AddressedDialogProps) {
  return (
    <GuardedDialog title={TITLE} needs="can_list_agents" onClose={close}>
      <Tags close={close} />
    </GuardedDialog>
  )
}

function Tags({ close }: { close: () => void }) {
  const mayEdit = useMay('can_edit_agent')
  const { openRecord } = useRecordAddress('tags', 'tag')
  const tags = useQuery(tagsQuery)
  const [removing, setRemoving] = useState<Tag>()
  return (
    <>
      <ListDialog
        title={TITLE}
        onClose={close}
        rows={tags}
        empty="No tags yet. Select machines in the table to tag them."
        create={mayEdit && <NewButton onClick={() => openRecord('new')}>New tag</NewButton>}
        searchText={({ name }) => name}
      >
        {(tag) => (
          <ListRow
            key={tag.id}
            name={<TagList names={[tag.name]} />}
            actions={
              mayEdit ? (
                <EditAndDelete
                  name={tag.name}
                  onEdit={() => openRecord(tag.id)}
                  onDelete={() => setRemoving(tag)}
                />
              ) : null
            }
          >
            <RowDetail>{describeUse(tag)}</RowDetail>
            {tag.rule !== '' && (
              <RowDetail>
                Rule: <span className="mono">{tag.rule}</span>
              </RowDetail>
            )}
          </ListRow>
        )}
      </ListDialog>
      {removing !== undefined && (
        <RemoveDialog
          title="Delete this tag?"
          message={
            <Text>
              <bdi>{removing.name}</bdi> is removed from {describeUse(removing)}.
            </Text>
          }
          remove={() => call(deleteTag, { params: { id: removing.id } })}
          done="Tag deleted."
          stale={tagsQuery.queryKey}
          onClose={() => setRemoving(undefined)}
        />
      )}
    </>
  )
}

function describeUse({ agent_count, client_count }: Tag): string {
  const machines = agent_count === 1 ? '1 machine' : `${agent_count} machines`
  if (client_count === 0) return machines
  return `${machines}, ${client_count === 1 ? '1 client' : `${client_count} clients`}`
}
