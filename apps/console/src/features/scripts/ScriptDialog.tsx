import { Button } from '@mantine/core'
import { type ScriptDetail, downloadScript, getScript } from '@muster/contract/api/scripts'
import { ApiError } from '@muster/contract/client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { agentPlatform } from '../../app/session/store.ts'
import { GuardedDialog, StateDialog } from '../../app/dialogs/GuardedDialog.tsx'
import { query } from '../../app/api/api.ts'
import type { AddressedDialogProps } from '../../app/dialogs/use-dialog.ts'
import { useMay } from '../../app/api/queries.ts'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { EmptyState } from '../../ui/layout/States.tsx'
import { ScriptEditor } from './ScriptEditor.tsx'
import { newDraft, toClone, toDraft } from './script-form.ts'

const TITLE = 'Script'

/** One script with its code: a new one, a copy, or one of the library. */
export function ScriptDialog({ item, close }: AddressedDialogProps) {
  const wanted = parseScriptItem(item)
  const needs = wanted?.kind === 'edit' ? 'can_list_scripts' : 'can_manage_scripts'
  return (
    <GuardedDialog title={TITLE} needs={needs} size="full" onClose={close}>
      {wanted === undefined ? (
        <GoneScript onClose={close} />
      ) : wanted.kind === 'new' || wanted.kind === 'upload' ? (
        <NewScript fromFile={wanted.kind === 'upload'} onClose={close} />
      ) : (
        <LoadedScript id={wanted.id} isClone={wanted.kind === 'clone'} onClose={close} />
      )}
    </GuardedDialog>
  )
}

/** The editor's subject in the address: `new`, `upload`, `clone.7` or `7`. */
function parseScriptItem(
  item: string | undefined,
): { kind: 'new' } | { kind: 'upload' } | { kind: 'clone' | 'edit'; id: number } | undefined {
  if (item === 'new' || item === 'upload') return { kind: item }
  const [, clone, digits] = /^(clone\.)?([1-9]\d{0,15})$/.exec(item ?? '') ?? []
  const id = Number(digits)
  if (digits === undefined || !Number.isSafeInteger(id)) return undefined
  return { kind: clone === undefined ? 'edit' : 'clone', id }
}

function NewScript(how: { fromFile: boolean; onClose: () => void }) {
  const [draft] = useState(() => newDraft(agentPlatform.get()))
  return <ScriptEditor draft={draft} {...how} />
}

interface LoadedScriptProps {
  id: number
  isClone: boolean
  onClose: () => void
}

function LoadedScript({ id, isClone, onClose }: LoadedScriptProps) {
  const mayManage = useMay('can_manage_scripts')
  // No cached value: the form must start with the current one.
  const stored = useQuery({ ...query(getScript, { params: { id } }), gcTime: 0 })
  const script = stored.data
  const reason = isClone || script === undefined ? undefined : reasonNotToChange(script, mayManage)
  // Read-only users see what would run.
  const expanded = useQuery({
    ...query(downloadScript, { params: { id }, query: { with_snippets: 'true' } }),
    gcTime: 0,
    enabled: reason !== undefined,
  })
  if (script === undefined || (reason !== undefined && expanded.data === undefined)) {
    const { error, refetch } = script === undefined ? stored : expanded
    if (error instanceof ApiError && error.status === 404) return <GoneScript onClose={onClose} />
    return (
      <StateDialog title={TITLE} size="full" onClose={onClose} error={error} onRetry={() => void refetch()} />
    )
  }
  if (isClone) return <ScriptEditor draft={toClone(script)} onClose={onClose} />
  const approval = script.server_approval
  if (reason === undefined)
    return <ScriptEditor draft={toDraft(script)} approval={approval} onClose={onClose} />
  const code = expanded.data?.code ?? ''
  const draft = toDraft({ ...script, script_body: code })
  // Code may change without a save, by a snippet.
  return (
    <ScriptEditor key={code} draft={draft} readOnlyReason={reason} approval={approval} onClose={onClose} />
  )
}

function reasonNotToChange({ script_type }: ScriptDetail, mayManage: boolean): string | undefined {
  if (!mayManage) return 'Your role does not allow you to change scripts.'
  return script_type === 'builtin'
    ? 'Built-in scripts cannot be changed. Clone it to edit a copy.'
    : undefined
}

function GoneScript({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title={TITLE} size="full" onClose={onClose}>
      <EmptyState message="Script not found.">
        <Button variant="default" component={Link} to="/scripts" data-autofocus>
          Show all scripts
        </Button>
      </EmptyState>
    </Dialog>
  )
}
