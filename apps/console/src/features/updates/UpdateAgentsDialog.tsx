import { Alert, Button, Checkbox } from '@mantine/core'
import '@mantine/core/styles/Alert.css'
import { type AgentVersionRow, listAgentVersions, updateAgents } from '@muster/contract/api/updates'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call, query } from '../../app/api/api.ts'
import { FormError } from '../../app/dialogs/FormDialog.tsx'
import { GuardedDialog, StateDialog } from '../../app/dialogs/GuardedDialog.tsx'
import type { AddressedDialogProps } from '../../app/dialogs/use-dialog.ts'
import { notifyDone } from '../../app/shell/notify.ts'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { SearchField } from '../../ui/inputs/SearchField.tsx'
import { EmptyState } from '../../ui/layout/States.tsx'
import { describeUpdate } from './update-labels.ts'
import classes from './UpdateAgentsDialog.module.css'

const TITLE = 'Update agents'
/** More rows make the page slow. The search finds the others. */
const MAX_SHOWN = 200

/** Chooses machines whose agents are updated now. */
export function UpdateAgentsDialog({ close }: AddressedDialogProps) {
  const { data, error, refetch } = useQuery(query(listAgentVersions, {}))
  const [version] = data?.versions ?? []
  return (
    <GuardedDialog title={TITLE} needs="can_update_agents" onClose={close}>
      {data === undefined ? (
        <StateDialog title={TITLE} onClose={close} error={error} onRetry={() => void refetch()} />
      ) : version === undefined ? (
        <Dialog title={TITLE} onClose={close}>
          <EmptyState message="This server has no built agent. Start it with npm start." />
        </Dialog>
      ) : (
        <ChooseAgents version={version} agents={data.agents} close={close} />
      )}
    </GuardedDialog>
  )
}

interface ChooseAgentsProps {
  version: string
  agents: readonly AgentVersionRow[]
  close: () => void
}

function ChooseAgents({ version, agents, close }: ChooseAgentsProps) {
  const [search, setSearch] = useState('')
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const outdated = agents.filter((agent) => agent.version !== version)
  const able = outdated.filter(({ can_update }) => can_update)
  const matches = outdated.filter((agent) => isMatch(agent, search))
  const choosable = matches.filter(({ can_update }) => can_update).map(({ agent_id }) => agent_id)
  const count = chosen.size
  const machines = `${count} ${count === 1 ? 'agent' : 'agents'}`
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => call(updateAgents, { body: { agent_ids: [...chosen] } }),
    meta: { errorsShown: true },
    onSuccess: () => {
      notifyDone(`Update of ${machines} ordered.`)
      close()
    },
  })
  const toggle = (ids: readonly string[], isOn: boolean) =>
    setChosen((before) => {
      const after = new Set(before)
      for (const id of ids)
        if (isOn) after.add(id)
        else after.delete(id)
      return after
    })
  const chosenHere = choosable.filter((id) => chosen.has(id)).length
  return (
    <Dialog
      title={TITLE}
      size="lg"
      onClose={close}
      footer={
        <>
          <Button variant="default" onClick={close} data-autofocus={outdated.length === 0 || undefined}>
            {outdated.length === 0 ? 'Close' : 'Cancel'}
          </Button>
          {outdated.length > 0 && (
            <Button disabled={count === 0} loading={isPending} onClick={() => mutate()}>
              {count === 0 ? 'Update agents' : `Update ${machines}`}
            </Button>
          )}
        </>
      }
    >
      {error !== null && <FormError error={error} />}
      <p className={classes.note}>
        {outdated.length === 0
          ? `Every agent has version ${version}.`
          : `Without version ${version}: ${outdated.length} of ${agents.length}. Offline machines are updated when they reconnect.`}
      </p>
      {able.length < outdated.length && (
        <Alert color="warning" mb="sm" title={`Cannot update themselves: ${outdated.length - able.length}`}>
          Install them again with a current installer. Their identity is kept.
        </Alert>
      )}
      {outdated.length > 0 && (
        <>
          <SearchField
            label="Search machines"
            placeholder="Machine, client, site or version"
            value={search}
            onSearch={setSearch}
            className={classes.search}
          />
          <Checkbox
            label={`All ${choosable.length} shown`}
            checked={chosenHere > 0 && chosenHere === choosable.length}
            indeterminate={chosenHere > 0 && chosenHere < choosable.length}
            disabled={choosable.length === 0}
            onChange={({ currentTarget }) => toggle(choosable, currentTarget.checked)}
          />
          <ul className={classes.list} aria-label="Machines">
            {matches.slice(0, MAX_SHOWN).map((agent) => (
              <li key={agent.agent_id}>
                <Checkbox
                  label={agent.hostname}
                  description={describeAgent(agent)}
                  disabled={!agent.can_update}
                  checked={chosen.has(agent.agent_id)}
                  onChange={({ currentTarget }) => toggle([agent.agent_id], currentTarget.checked)}
                />
                <span className={classes.version}>{agent.version}</span>
              </li>
            ))}
          </ul>
          {matches.length > MAX_SHOWN && (
            <p className={classes.note}>{matches.length - MAX_SHOWN} more. Search to find them.</p>
          )}
        </>
      )}
    </Dialog>
  )
}

function isMatch({ hostname, client, site, version }: AgentVersionRow, search: string): boolean {
  const text = search.trim().toLowerCase()
  return [hostname, client, site, version].some((part) => part.toLowerCase().includes(text))
}

function describeAgent({ client, site, connected, can_update, mode, update }: AgentVersionRow): string {
  const parts = [`${client} / ${site}`]
  if (!connected) parts.push('offline')
  if (!can_update) parts.push('cannot update itself')
  if (mode !== 'automatic') parts.push(mode)
  if (update !== null) parts.push(describeUpdate(update))
  return parts.join(', ')
}
