import { Button } from '@mantine/core'
import type { AlertTemplate } from '@muster/contract/api/alert-templates'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { GuardedDialog } from '../../../app/dialogs/GuardedDialog.tsx'
import { ListDialog, NewButton } from '../../../app/dialogs/ListDialog.tsx'
import type { AddressedDialogProps } from '../../../app/dialogs/dialogs.tsx'
import { useMay } from '../../../app/api/queries.ts'
import { useDialog } from '../../../app/dialogs/use-dialog.ts'
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
  const templates = useQuery(templatesQuery)
  const [removing, setRemoving] = useState<AlertTemplate>()
  const [applied, setApplied] = useState<AlertTemplate>()
  return (
    <>
      <ListDialog
        title={TITLE}
        size="lg"
        onClose={close}
        rows={templates}
        empty="There are no alert templates yet: alerts are told by the rules of the channels. A template says for some machines who is told of what, and runs scripts."
        create={mayManage && <NewButton onClick={() => openTemplate('new')}>New template</NewButton>}
        others={
          <Button variant="default" onClick={() => open('alert-preview')}>
            Preview
          </Button>
        }
      >
        {(template) => (
          <TemplateRow
            key={template.id}
            template={template}
            mayManage={mayManage}
            onEdit={() => openTemplate(template.id)}
            onApplied={() => setApplied(template)}
            onRemove={() => setRemoving(template)}
          />
        )}
      </ListDialog>
      {removing !== undefined && (
        <RemoveTemplate template={removing} onClose={() => setRemoving(undefined)} />
      )}
      {applied !== undefined && <AppliedDialog template={applied} onClose={() => setApplied(undefined)} />}
    </>
  )
}
