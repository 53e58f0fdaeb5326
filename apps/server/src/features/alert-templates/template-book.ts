import type { AlertType } from '@muster/contract/api/alerts'
import {
  choicesFor,
  resolveTemplate,
  type TemplateChoices,
  type TemplatePlace,
  type TemplateStep,
} from '@muster/rules/alert-template'
import type { Db } from '../../platform/database/database.ts'
import { findDefault, findTemplates } from './queries.ts'
import { readTemplate, type Template } from './stored-template.ts'

/** A machine or a site with what is assigned to it and to what it belongs to. */
export interface Placed {
  agent_id: string | null
  monitoring_type: 'server' | 'workstation' | null
  place_id: number | null
  client_id: number | null
  agent_template: number | null
  site_template: number | null
  client_template: number | null
}

export interface Asked {
  template: Template
  choices: TemplateChoices
}

/** Every template, to be asked for as many alerts as one likes. */
export interface TemplateBook {
  isEmpty: boolean
  resolve: (placed: Placed) => { applies: Template | undefined; steps: TemplateStep<Template>[] }
  /** What counts for an alert; undefined when no template is about it. */
  ask: (placed: Placed & { alert_type: AlertType }) => Asked | undefined
}

/** Reads the templates. There are few of them, and where there are none nothing else is asked. */
export async function openTemplateBook(db: Db): Promise<TemplateBook> {
  const templates = new Map((await findTemplates(db)).map((row) => [row.id, readTemplate(row)]))
  const defaultId = templates.size === 0 ? null : await findDefault(db)
  const find = (id: number | null) => (id === null ? undefined : templates.get(id))
  const resolve = (placed: Placed) =>
    resolveTemplate(
      {
        agent: find(placed.agent_template),
        site: find(placed.site_template),
        client: find(placed.client_template),
        default: find(defaultId),
      },
      placeOf(placed),
    )
  return {
    isEmpty: templates.size === 0,
    resolve,
    ask: (placed) => {
      if (templates.size === 0) return undefined
      const { applies } = resolve(placed)
      const choices = applies && choicesFor(applies.settings, placed.alert_type)
      return applies && choices && { template: applies, choices }
    },
  }
}

function placeOf({ agent_id, monitoring_type, place_id, client_id }: Placed): TemplatePlace {
  return { agentId: agent_id, monitoringType: monitoring_type, siteId: place_id, clientId: client_id }
}
