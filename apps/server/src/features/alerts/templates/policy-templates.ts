import type { TemplateSource } from '@muster/rules/alerts/alert-template'

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

export function readAssigned(text: string | null): PolicyTemplate[] {
  // Written by writeAssigned above.
  return text === null ? [] : (JSON.parse(text) as PolicyTemplate[])
}
