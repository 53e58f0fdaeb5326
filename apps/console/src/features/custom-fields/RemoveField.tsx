import { Text } from '@mantine/core'
import { type CustomField, deleteCustomField } from '@muster/contract/api/custom-fields'
import { RemoveDialog } from '../../app/dialogs/RemoveDialog.tsx'
import { call } from '../../app/api/api.ts'
import { fieldsQuery } from './fields-query.ts'

/** Asks before a field is deleted with all its values. */
export function RemoveField({ field, onClose }: { field: CustomField; onClose: () => void }) {
  return (
    <RemoveDialog
      title={`Delete ${field.name}?`}
      message={
        <Text>
          The field is deleted for good, with every value that was given to it. Scripts that name it are not
          run any more.
        </Text>
      }
      typed="yes"
      remove={() => call(deleteCustomField, { params: { id: field.id } })}
      done="Field deleted."
      stale={fieldsQuery.queryKey}
      onClose={onClose}
    />
  )
}
