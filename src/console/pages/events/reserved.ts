/** Whether the service records events of this name itself (see the guide on events): they cannot be deleted. */
export function isOfService(name: string): boolean {
  return /^(email\..*|contact\.(un)?subscribed|segment\..*\.(entry|exit))$/s.test(name);
}
