import { type AlertTemplate, AlertTemplateForm } from '@muster/contract/api/alert-templates'

/** A template for tests that changes nothing. */
export function testTemplate(more: Partial<AlertTemplate> = {}): AlertTemplate {
  return {
    ...AlertTemplateForm.parse({ name: 'Night' }),
    id: 1,
    action_name: '',
    resolved_action_name: '',
    action_approval: null,
    resolved_action_approval: null,
    default_template: false,
    applied_count: 0,
    modified: 'm1',
    ...more,
  }
}
