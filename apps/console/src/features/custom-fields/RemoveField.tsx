import { Text } from '@mantine/core'
import { type CustomField, deleteCustomField } from '@muster/contract/api/custom-fields'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { FormError } from '../../app/FormDialog.tsx'
import { call } from '../../app/api.ts'
import { notifyDone } from '../../app/notify.ts'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { fieldsQuery } from './fields-query.ts'

/** Asks before a field is deleted with all its values. */
export function RemoveField({ field, onClose }: { field: CustomField; onClose: () => void }) {
  const queryClient = useQueryClient()
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => call(deleteCustomField, { params: { id: field.id } }),
    meta: { errorsShown: true },
    onSuccess: async () => {
      notifyDone('Field deleted.')
      await queryClient.invalidateQueries({ queryKey: fieldsQuery.queryKey })
      onClose()
    },
  })
  return (
    <ConfirmDialog
      title={`Delete ${field.name}?`}
      message={
        <>
          {error !== null && <FormError error={error} />}
          <Text>
            The field is deleted for good, with every value that was given to it. Scripts that name it are not
            run any more.
          </Text>
        </>
      }
      confirmLabel="Delete"
      danger
      typed="yes"
      busy={isPending}
      onConfirm={() => mutate()}
      onClose={onClose}
    />
  )
}
