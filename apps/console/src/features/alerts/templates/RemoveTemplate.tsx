import { Text } from '@mantine/core'
import { type AlertTemplate, deleteAlertTemplate } from '@muster/contract/api/alert-templates'
import { RemoveDialog } from '../../../app/dialogs/RemoveDialog.tsx'
import { call } from '../../../app/api/api.ts'
import { templatesQuery } from './templates-query.ts'

/** Asks before a template is deleted. */
export function RemoveTemplate({ template, onClose }: { template: AlertTemplate; onClose: () => void }) {
  const { applied_count: count, default_template } = template
  return (
    <RemoveDialog
      title="Delete this alert template?"
      message={
        <Text>
          <bdi>{template.name}</bdi> counts nowhere any more.
          {count > 0 && ` It is assigned in ${count} ${count === 1 ? 'place' : 'places'}.`}
          {default_template && ' There is no default template then.'}
        </Text>
      }
      remove={() => call(deleteAlertTemplate, { params: { id: template.id } })}
      done="Alert template deleted."
      stale={templatesQuery.queryKey}
      onClose={onClose}
    />
  )
}
