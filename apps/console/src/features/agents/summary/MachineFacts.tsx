import { Button } from '@mantine/core'
import type { Guest, GuestHost, Protection, ProtectionSubject } from '@muster/contract/agent/facts'
import type { AgentDetail } from '@muster/contract/api/agents'
import { platformName } from '@muster/rules/agents/available-actions'
import { isUtcOffset } from '@muster/rules/schedules/zone-time'
import { formatFileSize } from '@muster/rules/text/units'
import type { ReactNode } from 'react'
import { CopyText } from '../../../ui/inputs/CopyText.tsx'
import { Time } from '../../../ui/layout/Time.tsx'
import { useMay } from '../../../app/api/queries.ts'
import { useDialog } from '../../../app/dialogs/use-dialog.ts'
import { describeUpdate } from '../../updates/update-labels.ts'
import { describeValue } from '../../custom-fields/field-values.ts'
import { DiskList } from '../DiskList.tsx'
import { MachinesWith } from '../MachinesWith.tsx'
import { Section } from '../../../ui/layout/Section.tsx'
import classes from './Summary.module.css'

interface FactsProps {
  agent: AgentDetail
}

/** The facts of a machine that its head does not show. */
export function MachineFacts({ agent }: FactsProps) {
  const moreDisks = agent.facts?.left_out?.disks ?? 0
  return (
    <>
      <Section title="Disks">
        <DiskList disks={agent.facts?.disks ?? []} />
        {moreDisks > 0 && <p className={classes.dim}>and {moreDisks} more</p>}
        {agent.physical_disks.length > 0 && (
          <ul className={classes.physical}>
            {agent.physical_disks.map((disk, index) => (
              <li key={index}>{disk}</li>
            ))}
          </ul>
        )}
      </Section>
      <Hardware agent={agent} />
      <Network agent={agent} />
      <Security agent={agent} />
      <Guests agent={agent} />
      <Policies agent={agent} />
      <CustomFields agent={agent} />
    </>
  )
}

function Hardware({ agent }: FactsProps) {
  const { serial_number: serial } = agent
  return (
    <Section title="Machine">
      {agent.facts === null && <p className={classes.dim}>No inventory reported yet.</p>}
      <dl className={classes.facts}>
        <Fact name="System">{agent.operating_system || platformName(agent.plat)}</Fact>
        <Fact name="Model">{agent.make_model}</Fact>
        <Fact name="Processor">{describeProcessors(agent.cpu_model)}</Fact>
        <Fact name="Memory">{agent.ram_bytes > 0 && formatFileSize(agent.ram_bytes)}</Fact>
        <Fact name="Graphics">{agent.graphics}</Fact>
        <Fact name="Serial">{serial !== '' && <CopyText text={serial} label="Copy serial number" />}</Fact>
        <Fact name="Architecture">{agent.goarch}</Fact>
        <Fact name="Agent">{agent.version}</Fact>
        <Fact name="Agent update">
          {agent.update !== null && agent.update.state !== 'confirmed' && describeUpdate(agent.update)}
        </Fact>
      </dl>
    </Section>
  )
}

function Network({ agent }: FactsProps) {
  const { public_ip: publicIp, logged_username: user, italic } = agent
  const zone = agent.time_zone ?? agent.timezone
  const moreAddresses = agent.facts?.left_out?.addresses ?? 0
  return (
    <Section title="Users and network">
      <dl className={classes.facts}>
        <Fact name="User">
          {user !== '' && (italic ? <em className={classes.dim}>{user} (last user)</em> : user)}
        </Fact>
        <Fact name="Public address">
          {publicIp !== '' && <CopyText text={publicIp} label="Copy public address" />}
        </Fact>
        {(agent.facts?.addresses ?? []).map(({ interface: name, address }, index) => (
          <Fact key={index} name={name}>
            <CopyText text={address} label={`Copy address of ${name}`} />
          </Fact>
        ))}
        <Fact name="More addresses">{moreAddresses > 0 && `and ${moreAddresses} more`}</Fact>
        <Fact name="Last response">
          {agent.connected ? 'just now' : <Time instant={agent.last_seen} relative machineZone={zone} />}
        </Fact>
        <Fact name="Started">
          {agent.boot_time !== null && <Time instant={agent.boot_time} relative machineZone={zone} />}
        </Fact>
        <Fact name="Time zone">{isUtcOffset(zone) ? `UTC${zone}, no known name` : zone}</Fact>
      </dl>
    </Section>
  )
}

const SUBJECTS: Record<ProtectionSubject, string> = {
  antivirus: 'Antivirus',
  firewall: 'Firewall',
  disk_encryption: 'Encryption',
  tpm: 'TPM',
  access_control: 'Access control',
}

/** Protections of the machine. One that could not be read says why. */
function Security({ agent }: FactsProps) {
  const security = agent.facts?.security
  if (agent.facts === null) return null
  return (
    <Section title="Security">
      {security === undefined ? (
        <p className={classes.dim}>Not reported. Update the agent of this machine.</p>
      ) : (
        <dl className={classes.facts}>
          {[...Map.groupBy(security, ({ subject }) => subject)].map(([subject, found]) => (
            <Fact key={subject} name={SUBJECTS[subject]}>
              {found.map((protection, index) => (
                <div key={index}>
                  {protection.name !== SUBJECTS[subject] && <bdi>{protection.name} </bdi>}
                  <ProtectionState {...protection} />
                </div>
              ))}
            </Fact>
          ))}
        </dl>
      )}
    </Section>
  )
}

const PROTECTION_STATES: Record<Protection['state'], { label: string; tone: string | undefined }> = {
  on: { label: 'on', tone: undefined },
  off: { label: 'off', tone: classes.negative },
  attention: { label: 'needs attention', tone: classes.warning },
  absent: { label: 'none', tone: classes.dim },
  unknown: { label: 'unknown', tone: classes.warning },
}

function ProtectionState({ state, detail }: Protection) {
  const { label, tone } = PROTECTION_STATES[state]
  return (
    <>
      <span className={tone}>{label}</span>
      {detail !== '' && (
        <span className={classes.dim}>
          {' '}
          (<bdi>{detail}</bdi>)
        </span>
      )}
    </>
  )
}

const RUNTIMES: Record<GuestHost['runtime'], string> = {
  docker: 'Docker',
  podman: 'Podman',
  libvirt: 'libvirt',
}

const GUEST_TONES: Record<Guest['state'], string | undefined> = {
  running: undefined,
  paused: classes.warning,
  restarting: classes.warning,
  stopped: classes.dim,
  failed: classes.negative,
  unknown: classes.warning,
}

/** Containers and virtual machines of a host. */
function Guests({ agent }: FactsProps) {
  const hosts = agent.facts?.guests ?? []
  if (hosts.length === 0) return null
  return (
    <Section title="Containers and virtual machines">
      <dl className={classes.facts}>
        {hosts.map(({ runtime, problem, guests, left_out: leftOut }) => (
          <Fact key={runtime} name={RUNTIMES[runtime]}>
            {problem !== null && <span className={classes.warning}>{problem}</span>}
            {problem === null && guests.length === 0 && <span className={classes.dim}>none</span>}
            {guests.map(({ name, image, state, detail }, index) => (
              <div key={index}>
                <bdi>{name}</bdi> <span className={GUEST_TONES[state]}>{state}</span>
                <bdi className={classes.dim}>
                  {[detail, image].filter(Boolean).map((text) => `, ${text}`)}
                </bdi>
              </div>
            ))}
            {leftOut > 0 && <div className={classes.dim}>and {leftOut} more</div>}
          </Fact>
        ))}
      </dl>
    </Section>
  )
}

/** Policies and the alert template, with the reason a click away. */
function Policies({ agent }: FactsProps) {
  const { open } = useDialog()
  const mayExplain = useMay('can_list_automation_policies')
  const { applied_policies: policies, effective_alert_template: template } = agent
  if (policies.length === 0 && template === null) return null
  const why = () => open('why-check', `${agent.agent_id}.alert_template`)
  return (
    <Section title="Policies and alerts">
      <dl className={classes.facts}>
        <Fact name="Policies">
          {policies.length > 0 &&
            policies.map(({ id, name }, index) => (
              <span key={id}>
                {index > 0 && ', '}
                <MachinesWith field="policy" value={name} />
              </span>
            ))}
        </Fact>
        <Fact name="Alert template">
          {template !== null && (
            <>
              <bdi>{template.name}</bdi>{' '}
              {mayExplain && (
                <Button variant="subtle" size="compact-xs" onClick={why}>
                  Why?
                </Button>
              )}
            </>
          )}
        </Fact>
      </dl>
    </Section>
  )
}

/** Custom fields of the machine. */
function CustomFields({ agent }: FactsProps) {
  const shown = agent.custom_fields.filter(({ hide_in_summary }) => !hide_in_summary)
  if (shown.length === 0) return null
  return (
    <Section title="Custom fields">
      <dl className={classes.facts}>
        {shown.map(({ id, name, type, value }) => (
          <Fact key={id} name={name}>
            {type === 'datetime' && typeof value === 'string' ? (
              <Time instant={value} />
            ) : (
              <bdi>{describeValue(value)}</bdi>
            )}
          </Fact>
        ))}
      </dl>
    </Section>
  )
}

/** A line of facts; unknown ones are left out. */
export function Fact({ name, children }: { name: string; children: ReactNode }) {
  if (children === '' || children === false || children === null) return null
  return (
    <div className={classes.fact}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** `2× Xeon Silver 4310`: equal processors are counted. */
function describeProcessors(models: readonly string[]): string {
  return [...Map.groupBy(models, (model) => model)]
    .map(([model, equal]) => (equal.length > 1 ? `${equal.length}× ${model}` : model))
    .join(', ')
}
