import { Alert, Button, Select, Stack, TextInput } from '@mantine/core'
import '@mantine/core/styles/Alert.css'
import { useMutation } from '@tanstack/react-query'
import { type SubmitEvent, useId, useState } from 'react'
import { FormError } from '../../app/dialogs/FormDialog.tsx'
import { notifyDone } from '../../app/shell/notify.ts'
import { useRefresh } from '../../app/shell/use-refresh.ts'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { type SiteGroup, filterSites } from './site-choices.ts'

interface RemoveNodeDialogProps {
  title: string
  node: { name: string; agent_count: number }
  /** A sentence: what is deleted. */
  what: string
  warning?: string | undefined
  /** Where its machines can go. */
  targets: readonly SiteGroup[]
  remove: (targetSiteId: number | undefined) => Promise<unknown>
  onClose: () => void
}

/** Asks for the site that the machines move to, and for the name, before a client or a site is deleted. */
export function RemoveNodeDialog(props: RemoveNodeDialogProps) {
  const { title, node, what, warning, targets, remove, onClose } = props
  const { name, agent_count } = node
  const formId = useId()
  const [target, setTarget] = useState<string | null>(null)
  const [typed, setTyped] = useState('')
  const { forceRefresh } = useRefresh()
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => remove(agent_count === 0 || target === null ? undefined : Number(target)),
    meta: { errorsShown: true },
    onSuccess: async () => {
      notifyDone(`Deleted ${name}.`)
      await forceRefresh()
      onClose()
    },
  })
  const isStuck = agent_count > 0 && targets.length === 0
  const hasTarget = agent_count === 0 || target !== null
  const canRemove = hasTarget && typed.trim().toLowerCase() === name.trim().toLowerCase() && !isPending
  const whyNot = isStuck
    ? 'The machines have nowhere to go.'
    : hasTarget
      ? 'Type the name to confirm.'
      : 'Choose a site for the machines.'
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (canRemove) mutate()
  }
  return (
    <Dialog
      title={title}
      onClose={onClose}
      why={canRemove || isPending ? undefined : whyNot}
      footer={
        <>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" form={formId} color="negative" disabled={!canRemove} loading={isPending}>
            Delete
          </Button>
        </>
      }
    >
      <form id={formId} noValidate onSubmit={submit}>
        <Stack gap="md">
          {error !== null && <FormError error={error} />}
          {error === null && warning !== undefined && (
            <Alert color="warning" role="note">
              {warning}
            </Alert>
          )}
          <div>
            {what} {machinesSentence(agent_count)}
          </div>
          {isStuck ? (
            <Alert color="warning" role="note">
              There is no other site that they could move to. Add one first.
            </Alert>
          ) : (
            <>
              {agent_count > 0 && (
                <Select
                  label="Move the machines to"
                  placeholder="Choose a site"
                  data={[...targets]}
                  filter={filterSites}
                  searchable
                  allowDeselect={false}
                  nothingFoundMessage="No such site"
                  value={target}
                  onChange={setTarget}
                  data-autofocus
                />
              )}
              <TextInput
                label={`Type ${name} to go on`}
                value={typed}
                onChange={(event) => setTyped(event.currentTarget.value)}
                autoComplete="off"
                spellCheck={false}
                data-autofocus={agent_count === 0 || undefined}
              />
            </>
          )}
        </Stack>
      </form>
    </Dialog>
  )
}

function machinesSentence(count: number): string {
  if (count === 0) return 'It has no machines.'
  if (count === 1) return 'Its machine stays, with all that is known of it, and moves to another site.'
  return `Its ${count} machines stay, with all that is known of them, and move to another site.`
}
