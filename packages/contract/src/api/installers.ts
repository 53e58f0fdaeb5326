import { ENROL_PATH, EnrolResponse, EnrolRequest } from '../agent/enrol.ts'
import { endpoint } from '../endpoint.ts'

/** Called by an agent once per machine. The token in the body authorizes it. */
export const enrolAgent = endpoint({
  method: 'POST',
  path: ENROL_PATH,
  access: 'public',
  summary: 'Enrol a machine with an enrolment token and its own new key',
  body: EnrolRequest,
  response: EnrolResponse,
})
