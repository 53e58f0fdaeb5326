import { Alert, Button } from '@mantine/core'
import '@mantine/core/styles/Alert.css'
import { useForm } from '@mantine/form'
import {
  type AlertTemplate,
  createAlertTemplate,
  editAlertTemplate,
} from '@muster/contract/api/alert-templates'
import { ApiError } from '@muster/contract/client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { FormDialog } from '../../app/FormDialog.tsx'
import { GuardedDialog, StateDialog } from '../../app/GuardedDialog.tsx'
import { call } from '../../app/api.ts'
import type { AddressedDialogProps } from '../../app/dialogs.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { EmptyState } from '../../ui/States.tsx'
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
  // Nothing is kept from the last time: what is edited must be what is there.
  const { data, error, isFetchedAfterMount, refetch } = useQuery({ ...templatesQuery, staleTime: 0 })
  const [opened, setOpened] = useState<AlertTemplate>()
  const template = data?.find((one) => one.id === id)
  if (opened === undefined && template !== undefined && isFetchedAfterMount) setOpened(template)
  if (opened !== undefined) {
    const isOld = template !== undefined && template.modified !== opened.modified
    return (
      <TemplateFormDialog
        key={opened.modified}
        title={`Edit ${opened.name}`}
        template={opened}
        onReload={isOld ? () => setOpened(template) : undefined}
        onClose={onClose}
      />
    )
  }
  if (data !== undefined && isFetchedAfterMount) {
    return (
      <Dialog title="Alert template" size="lg" onClose={onClose}>
        <EmptyState message="This alert template does not exist any more.">
          <Button variant="default" onClick={onClose} data-autofocus>
            Show all templates
          </Button>
        </EmptyState>
      </Dialog>
    )
  }
  return (
    <StateDialog
      title="Alert template"
      size="lg"
      onClose={onClose}
      error={error}
      onRetry={() => void refetch()}
    />
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
  const queryClient = useQueryClient()
  const [start] = useState(() => (template === undefined ? newTemplateForm() : readTemplateForm(template)))
  const form = useForm<TemplateForm>({
    initialValues: start,
    validate: checkTemplateForm,
    validateInputOnBlur: true,
  })
  const save = async (values: TemplateForm) => {
    const body = toTemplate(values)
    try {
      if (template === undefined) await call(createAlertTemplate, { body })
      else {
        const { id, modified } = template
        await call(editAlertTemplate, { params: { id }, body: { ...body, modified } })
      }
    } catch (error) {
      if (error instanceof ApiError && error.code === 'changed_meanwhile')
        await queryClient.invalidateQueries({ queryKey: templatesQuery.queryKey })
      throw error
    }
    await queryClient.invalidateQueries({ queryKey: templatesQuery.queryKey })
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
      {onReload !== undefined && (
        <Alert color="warning" title="Somebody else has changed this template" mb="md">
          <Button variant="default" mt="sm" onClick={onReload}>
            Begin again with the new values
          </Button>
        </Alert>
      )}
      <TemplateFields form={form} start={start} />
    </FormDialog>
  )
}
