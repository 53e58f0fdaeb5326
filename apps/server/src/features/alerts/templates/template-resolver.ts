import type { AgentRow } from '@muster/contract/api/agents'
import type { AlertType } from '@muster/contract/api/alerts'
import {
  type AssignedTemplate,
  choicesFor,
  resolveTemplate,
  type TemplateChoices,
  type TemplateSource,
  type TemplateStep,
  type TemplateTarget,
} from '@muster/rules/alerts/alert-template'
import type { Db } from '../../../platform/database/database.ts'
import type { AgentTemplates } from '../../agents/queries.ts'
import { findDefault, findTemplates } from './queries.ts'
import { readTemplate, type Template } from './stored-template.ts'

/** A machine or a site with its own and inherited assignments. */
export interface TemplateSubject {
  agent_id: string | null
  monitoring_type: 'server' | 'workstation' | null
  place_id: number | null
  client_id: number | null
  agent_template: number | null
  site_template: number | null
  client_template: number | null
  /** Templates assigned by policies: see given-templates.ts. */
  policy_templates: string | null
}

export interface Asked {
  template: Template
  choices: TemplateChoices
}

/** All templates, to resolve many alerts. */
export interface TemplateResolver {
  isEmpty: boolean
  resolve: (subject: TemplateSubject) => { applies: Template | undefined; steps: TemplateStep<Template>[] }
  /** The effective template of an alert, or undefined. */
  ask: (subject: TemplateSubject & { alert_type: AlertType }) => Asked | undefined
}

/** Reads the templates. There are few of them, and without any nothing else is queried. */
export async function openTemplateResolver(db: Db): Promise<TemplateResolver> {
  const templates = new Map((await findTemplates(db)).map((row) => [row.id, readTemplate(row)]))
  const defaultId = templates.size === 0 ? null : await findDefault(db)
  const listGiven = createGivenList()
  const resolve = (subject: TemplateSubject) => {
    const assigned: AssignedTemplate<Template>[] = []
    const add = (source: TemplateSource, id: number | null, policy: number | null) => {
      const template = id === null ? undefined : templates.get(id)
      if (template !== undefined) assigned.push({ source, policy, template })
    }
    for (const { source, policy, template } of listGiven(subject.policy_templates)) {
      add(source, template, policy)
    }
    add('agent', subject.agent_template, null)
    add('site', subject.site_template, null)
    add('client', subject.client_template, null)
    add('default', defaultId, null)
    return resolveTemplate(assigned, targetOf(subject))
  }
  return {
    isEmpty: templates.size === 0,
    resolve,
    ask: (subject) => {
      if (templates.size === 0) return undefined
      const { applies } = resolve(subject)
      return applies && { template: applies, choices: choicesFor(applies.settings, subject.alert_type) }
    },
  }
}

/** Thousands of machines share the same text. */
function createGivenList(): (text: string | null) => PolicyTemplate[] {
  const known = new Map<string | null, PolicyTemplate[]>()
  return (text) => {
    const given = known.get(text) ?? readAssigned(text)
    known.set(text, given)
    return given
  }
}

function targetOf({ agent_id, monitoring_type, place_id, client_id }: TemplateSubject): TemplateTarget {
  return { agentId: agent_id, monitoringType: monitoring_type, siteId: place_id, clientId: client_id }
}

/** The templates that count for machines, as their table shows them. */
export async function openAgentTemplates(db: Db): Promise<AgentTemplates> {
  const book = await openTemplateResolver(db)
  return (agent) => (book.isEmpty ? null : viewApplied(book.resolve(subjectOf(agent)).applies))
}

function subjectOf(agent: Parameters<AgentTemplates>[0]): TemplateSubject {
  const { agent_id, monitoring_type, client_id, site_template, client_template, policy_templates } = agent
  return {
    agent_id,
    monitoring_type,
    place_id: agent.site_id,
    client_id,
    agent_template: agent.alert_template_id,
    site_template,
    client_template,
    policy_templates,
  }
}

function viewApplied(template: Template | undefined): AgentRow['alert_template'] {
  if (template === undefined) return null
  const { id, name, settings } = template
  const { agent_always_email, agent_always_text, agent_always_alert } = settings
  return {
    id,
    name,
    always_email: agent_always_email,
    always_text: agent_always_text,
    always_alert: agent_always_alert,
  }
}

/** A template that a policy assigns to a machine or a site. */
export interface PolicyTemplate {
  source: TemplateSource
  policy: number
  template: number
}

/** The column `policy_templates`, which features/policies keeps up to date. */
export function writeAssigned(given: readonly PolicyTemplate[]): string {
  return JSON.stringify(given)
}

function readAssigned(text: string | null): PolicyTemplate[] {
  // Written by writeAssigned above.
  return text === null ? [] : (JSON.parse(text) as PolicyTemplate[])
}
