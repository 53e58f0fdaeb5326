import { Button } from '@mantine/core'
import type { AlertTemplate } from '@muster/contract/api/alert-templates'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { GuardedDialog, LoadingState } from '../../app/GuardedDialog.tsx'
import type { AddressedDialogProps } from '../../app/dialogs.tsx'
import { useMay } from '../../app/queries.ts'
import { useDialog } from '../../app/use-dialog.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { ListRows } from '../../ui/ListRows.tsx'
import { EmptyState } from '../../ui/States.tsx'
import { AppliedDialog } from './AppliedDialog.tsx'
import { RemoveTemplate } from './RemoveTemplate.tsx'
import { TemplateRow } from './TemplateRow.tsx'
import { templatesQuery } from './templates-query.ts'
import { useTemplateAddress } from './use-template-address.ts'

const TITLE = 'Alert templates'

/** What is done about alerts, and where that counts. */
export function TemplatesDialog({ close }: AddressedDialogProps) {
  return (
    <GuardedDialog title={TITLE} needs="can_list_alerttemplates" size="lg" onClose={close}>
      <Templates close={close} />
    </GuardedDialog>
  )
}

function Templates({ close }: { close: () => void }) {
  const mayManage = useMay('can_manage_alerttemplates')
  const { open } = useDialog()
  const { openTemplate } = useTemplateAddress()
  const { data, error, refetch } = useQuery(templatesQuery)
  const [removing, setRemoving] = useState<AlertTemplate>()
  const [applied, setApplied] = useState<AlertTemplate>()
  const create = (
    <Button
      leftSection={<IconPlus size={14} stroke={1.75} aria-hidden />}
      onClick={() => openTemplate('new')}
    >
      New template
    </Button>
  )
  return (
    <>
      <Dialog
        title={TITLE}
        size="lg"
        onClose={close}
        footer={
          <>
            <Button variant="default" onClick={close} data-autofocus>
              Close
            </Button>
            <Button variant="default" onClick={() => open('alert-preview')}>
              Preview
            </Button>
            {mayManage && data !== undefined && data.length > 0 && create}
          </>
        }
      >
        {data === undefined ? (
          <LoadingState error={error} onRetry={() => void refetch()} rows={3} />
        ) : data.length === 0 ? (
          <EmptyState message="There are no alert templates yet: alerts are told by the rules of the channels. A template says for some machines who is told of what, and runs scripts.">
            {mayManage && create}
          </EmptyState>
        ) : (
          <ListRows label={TITLE}>
            {data.map((template) => (
              <TemplateRow
                key={template.id}
                template={template}
                mayManage={mayManage}
                onEdit={() => openTemplate(template.id)}
                onApplied={() => setApplied(template)}
                onRemove={() => setRemoving(template)}
              />
            ))}
          </ListRows>
        )}
      </Dialog>
      {removing !== undefined && (
        <RemoveTemplate template={removing} onClose={() => setRemoving(undefined)} />
      )}
      {applied !== undefined && <AppliedDialog template={applied} onClose={() => setApplied(undefined)} />}
    </>
  )
}
