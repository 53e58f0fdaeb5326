import { Button, Input, Select, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { ScriptShell } from '@muster/contract/api/scripts'
import { type Snippet, createSnippet, editSnippet } from '@muster/contract/api/snippets'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Suspense, lazy, useState } from 'react'
import { FormDialog } from '../../app/FormDialog.tsx'
import { GuardedDialog, StateDialog } from '../../app/GuardedDialog.tsx'
import { call } from '../../app/api.ts'
import type { AddressedDialogProps } from '../../app/dialogs.tsx'
import { useMay } from '../../app/queries.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { EmptyState, SkeletonRows } from '../../ui/States.tsx'
import { readShell } from '../scripts/script-form.ts'
import { SHELL_LABELS } from '../scripts/script-words.ts'
import classes from './SnippetDialog.module.css'
import { snippetsQuery } from './snippets-query.ts'
import { useSnippetAddress } from './use-snippet-address.ts'

const CodeEditor = lazy(() =>
  import('../scripts/CodeEditor.tsx').then((file) => ({ default: file.CodeEditor })),
)

/** A snippet: a new one (`new`), or one that there is (`3`). Closing it leads to the list. */
export function SnippetDialog({ item = '' }: AddressedDialogProps) {
  const { openSnippets } = useSnippetAddress()
  const needs = item === 'new' ? 'can_manage_scripts' : 'can_list_scripts'
  return (
    <GuardedDialog title="Snippet" needs={needs} size="lg" onClose={openSnippets}>
      {item === 'new' ? (
        <SnippetForm snippet={undefined} onClose={openSnippets} />
      ) : (
        <LoadedSnippet id={Number(item)} onClose={openSnippets} />
      )}
    </GuardedDialog>
  )
}

function LoadedSnippet({ id, onClose }: { id: number; onClose: () => void }) {
  const { data, error, isFetchedAfterMount, refetch } = useQuery({ ...snippetsQuery, staleTime: 0 })
  const [opened, setOpened] = useState<Snippet>()
  const snippet = data?.find((one) => one.id === id)
  if (opened === undefined && snippet !== undefined && isFetchedAfterMount) setOpened(snippet)
  if (opened !== undefined) return <SnippetForm snippet={opened} onClose={onClose} />
  if (data !== undefined && isFetchedAfterMount && snippet === undefined) {
    return (
      <Dialog title="Snippet" onClose={onClose}>
        <EmptyState message="This snippet does not exist any more.">
          <Button variant="default" onClick={onClose} data-autofocus>
            Show all snippets
          </Button>
        </EmptyState>
      </Dialog>
    )
  }
  return (
    <StateDialog title="Snippet" size="lg" onClose={onClose} error={error} onRetry={() => void refetch()} />
  )
}

interface SnippetForm extends Record<string, unknown> {
  name: string
  desc: string
  shell: ScriptShell
  code: string
}

function SnippetForm({ snippet, onClose }: { snippet: Snippet | undefined; onClose: () => void }) {
  const queryClient = useQueryClient()
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
      code: (code) => (code.trim() === '' ? 'There is no code yet.' : null),
    },
    validateInputOnBlur: true,
  })
  const save = async (body: SnippetForm) => {
    if (snippet === undefined) await call(createSnippet, { body })
    else {
      const { id, modified } = snippet
      await call(editSnippet, { params: { id }, body: { ...body, modified } })
    }
    await queryClient.invalidateQueries({ queryKey: snippetsQuery.queryKey })
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
        <TextInput
          label="Name"
          description="Scripts include it as {{name}}."
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
  return /[{}]/.test(name) ? 'A name holds no braces: scripts write {{name}}.' : null
}
