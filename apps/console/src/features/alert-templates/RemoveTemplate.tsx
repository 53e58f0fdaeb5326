import { Text } from '@mantine/core'
import { type AlertTemplate, deleteAlertTemplate } from '@muster/contract/api/alert-templates'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { FormError } from '../../app/FormDialog.tsx'
import { call } from '../../app/api.ts'
import { notifyDone } from '../../app/notify.ts'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { templatesQuery } from './templates-query.ts'

/** Asks before a template is deleted. */
export function RemoveTemplate({ template, onClose }: { template: AlertTemplate; onClose: () => void }) {
  const queryClient = useQueryClient()
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => call(deleteAlertTemplate, { params: { id: template.id } }),
    meta: { errorsShown: true },
    onSuccess: async () => {
      notifyDone('Alert template deleted.')
      await queryClient.invalidateQueries({ queryKey: templatesQuery.queryKey })
      onClose()
    },
  })
  const { applied_count: count, default_template } = template
  return (
    <ConfirmDialog
      title="Delete this alert template?"
      message={
        <>
          {error !== null && <FormError error={error} />}
          <Text>
            <bdi>{template.name}</bdi> counts nowhere any more.
            {count > 0 && ` It is assigned in ${count} ${count === 1 ? 'place' : 'places'}.`}
            {default_template && ' There is no default template then.'}
          </Text>
        </>
      }
      confirmLabel="Delete"
      danger
      busy={isPending}
      onConfirm={() => mutate()}
      onClose={onClose}
    />
  )
}
