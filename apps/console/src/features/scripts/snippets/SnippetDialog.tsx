import { Input, Select, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { ScriptShell } from '@muster/contract/api/scripts'
import { createSnippet, editSnippet, listSnippets, type Snippet } from '@muster/contract/api/snippets'
import { lazy, Suspense } from 'react'
import { ChangedMeanwhile, RecordDialog } from '../../../app/dialogs/RecordDialog.tsx'
import { FormDialog } from '../../../app/dialogs/FormDialog.tsx'
import { call, query } from '../../../app/api/api.ts'
import { type AddressedDialogProps, useRecordAddress } from '../../../app/dialogs/use-dialog.ts'
import { useMay } from '../../../app/api/queries.ts'
import { useSaveInto } from '../../../app/dialogs/use-save-into.ts'
import { SkeletonRows } from '../../../ui/layout/States.tsx'
import { readShell } from '../script-form.ts'
import { SHELL_LABELS } from '../script-labels.ts'
import classes from './SnippetDialog.module.css'

export const snippetsQuery = query(listSnippets, {})

const CodeEditor = lazy(() => import('../CodeEditor.tsx').then((file) => ({ default: file.CodeEditor })))

/** A new snippet (`new`) or an existing one (`3`). Closing leads to the list. */
export function SnippetDialog({ item }: AddressedDialogProps) {
  const { openList } = useRecordAddress('snippets', 'snippet')
  return (
    <RecordDialog
      list={snippetsQuery}
      item={item}
      title="Snippet"
      needs={item === 'new' ? 'can_manage_scripts' : 'can_list_scripts'}
      size="lg"
      gone="This snippet does not exist any more."
      back="Show all snippets"
      onClose={openList}
    >
      {(snippet, onReload) => <SnippetForm snippet={snippet} onReload={onReload} onClose={openList} />}
    </RecordDialog>
  )
}

interface SnippetForm extends Record<string, unknown> {
  name: string
  desc: string
  shell: ScriptShell
  code: string
}

interface SnippetFormProps {
  /** The edited snippet, as it was when the form was opened. */
  snippet: Snippet | undefined
  onReload?: (() => void) | undefined
  onClose: () => void
}

function SnippetForm({ snippet, onReload, onClose }: SnippetFormProps) {
  const saveInto = useSaveInto(snippetsQuery.queryKey)
  const mayManage = useMay('can_manage_scripts')
  const form = useForm<SnippetForm>({
    initialValues: {
      name: snippet?.name ?? '',
      desc: snippet?.desc ?? '',
      shell: snippet?.shell ?? 'shell',
      code: snippet?.code ?? '',
    },
    validate: {
      name: checkName,
      code: (code) => (code.trim() === '' ? 'Enter the code.' : null),
    },
    validateInputOnBlur: true,
  })
  const save = async (body: SnippetForm) => {
    await saveInto(async () => {
      if (snippet === undefined) await call(createSnippet, { body })
      else {
        const { id, modified } = snippet
        await call(editSnippet, { params: { id }, body: { ...body, modified } })
      }
    })
  }
  return (
    <FormDialog
      title={snippet === undefined ? 'New snippet' : mayManage ? `Edit ${snippet.name}` : snippet.name}
      size="lg"
      form={form}
      save={save}
      done={snippet === undefined ? 'Snippet added.' : 'Snippet saved.'}
      submitLabel={snippet === undefined ? 'Add snippet' : 'Save'}
      onClose={onClose}
    >
      <Stack gap="md">
        <ChangedMeanwhile what="this snippet" onReload={onReload} />
        <TextInput
          label="Name"
          description="Scripts include it as {{name}}"
          maxLength={40}
          readOnly={!mayManage}
          data-autofocus
          {...form.getInputProps('name')}
        />
        <TextInput
          label="Description"
          maxLength={1000}
          readOnly={!mayManage}
          {...form.getInputProps('desc')}
        />
        <Select
          label="Shell"
          data={Object.entries(SHELL_LABELS).map(([value, label]) => ({ value, label }))}
          allowDeselect={false}
          readOnly={!mayManage}
          value={form.values.shell}
          onChange={(text) => form.setFieldValue('shell', readShell(text) ?? form.values.shell)}
        />
        <div>
          <Input.Label>Code</Input.Label>
          <div className={classes.editor}>
            <Suspense fallback={<SkeletonRows rows={6} height={20} />}>
              <CodeEditor
                start={snippet?.code ?? ''}
                onChange={(code) => form.setFieldValue('code', code)}
                shell={form.values.shell}
                readOnly={!mayManage}
              />
            </Suspense>
          </div>
        </div>
      </Stack>
    </FormDialog>
  )
}

function checkName(name: string): string | null {
  if (name.trim() === '') return 'A name is needed.'
  return /[{}]/.test(name) ? 'Do not use braces: scripts write {{name}}.' : null
}
