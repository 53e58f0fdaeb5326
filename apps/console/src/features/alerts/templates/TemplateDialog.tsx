import { useForm } from '@mantine/form'
import {
  type AlertTemplate,
  createAlertTemplate,
  editAlertTemplate,
} from '@muster/contract/api/alert-templates'
import { useState } from 'react'
import { ChangedMeanwhile, EditedItem } from '../../../app/dialogs/EditedItem.tsx'
import { FormDialog } from '../../../app/dialogs/FormDialog.tsx'
import { GuardedDialog } from '../../../app/dialogs/GuardedDialog.tsx'
import { call } from '../../../app/api/api.ts'
import type { AddressedDialogProps } from '../../../app/dialogs/dialogs.tsx'
import { useSaveInto } from '../../../app/dialogs/use-save-into.ts'
import { TemplateFields } from './TemplateFields.tsx'
import {
  checkTemplateForm,
  newTemplateForm,
  readTemplateForm,
  type TemplateForm,
  toTemplate,
} from './template-form.ts'
import { templatesQuery } from './templates-query.ts'
import { useTemplateAddress } from './use-template-address.ts'

/** A template: a new one (`new`), or one that there is (`3`). Closing it leads to the list. */
export function TemplateDialog({ item = '' }: AddressedDialogProps) {
  const { openList } = useTemplateAddress()
  const title = item === 'new' ? 'New alert template' : 'Alert template'
  return (
    <GuardedDialog title={title} needs="can_manage_alerttemplates" size="lg" onClose={openList}>
      {item === 'new' ? (
        <TemplateFormDialog title={title} template={undefined} onClose={openList} />
      ) : (
        <LoadedTemplate id={Number(item)} onClose={openList} />
      )}
    </GuardedDialog>
  )
}

function LoadedTemplate({ id, onClose }: { id: number; onClose: () => void }) {
  return (
    <EditedItem
      list={templatesQuery}
      id={id}
      title="Alert template"
      size="lg"
      gone="This alert template does not exist any more."
      back="Show all templates"
      onClose={onClose}
    >
      {(template, onReload) => (
        <TemplateFormDialog
          title={`Edit ${template.name}`}
          template={template}
          onReload={onReload}
          onClose={onClose}
        />
      )}
    </EditedItem>
  )
}

interface TemplateFormDialogProps {
  title: string
  /** The one that is edited, as it was when the form was opened. */
  template: AlertTemplate | undefined
  /** Somebody else has saved it since: begins anew with what is there now. */
  onReload?: (() => void) | undefined
  onClose: () => void
}

function TemplateFormDialog({ title, template, onReload, onClose }: TemplateFormDialogProps) {
  const saveInto = useSaveInto(templatesQuery.queryKey)
  const [start] = useState(() => (template === undefined ? newTemplateForm() : readTemplateForm(template)))
  const form = useForm<TemplateForm>({
    initialValues: start,
    validate: checkTemplateForm,
    validateInputOnBlur: true,
  })
  const save = async (values: TemplateForm) => {
    const body = toTemplate(values)
    await saveInto(async () => {
      if (template === undefined) await call(createAlertTemplate, { body })
      else {
        const { id, modified } = template
        await call(editAlertTemplate, { params: { id }, body: { ...body, modified } })
      }
    })
  }
  return (
    <FormDialog
      title={title}
      size="lg"
      form={form}
      save={save}
      done={template === undefined ? 'Alert template added.' : 'Alert template saved.'}
      submitLabel={template === undefined ? 'Add template' : 'Save'}
      onClose={onClose}
    >
      <ChangedMeanwhile what="this template" onReload={onReload} mb="md" />
      <TemplateFields form={form} start={start} />
    </FormDialog>
  )
}
