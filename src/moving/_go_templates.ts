// The template language of listmonk, as far as ours says the same.

const NAMES: Record<string, string> = {
  Email: "email",
  Name: "name",
  FirstName: "firstName",
  LastName: "lastName",
};

/** A text of listmonk as a template of ours. */
export function fromGoTemplate(text: string): string {
  return text
    .replaceAll(
      /\{\{-?\s*\.Subscriber\.(Email|Name|FirstName|LastName)\s*-?\}\}/g,
      (_, name: string) => `{{${NAMES[name]}}}`,
    )
    .replaceAll(/\{\{-?\s*\.Subscriber\.Attribs\.([\w.]+)\s*-?\}\}/g, "{{$1}}")
    .replaceAll(/\{\{-?\s*\.Tx\.Data\.([\w.]+)\s*-?\}\}/g, "{{$1}}")
    .replaceAll(/\{\{-?\s*UnsubscribeURL(?:\s+\.)?\s*-?\}\}/g, "{{unsubscribeUrl}}")
    .replaceAll(/\{\{-?\s*ManageURL(?:\s+\.)?\s*-?\}\}/g, "{{manageUrl}}")
    .replaceAll(/\{\{-?\s*TrackLink\s+"([^"]*)"\s+\.\s*-?\}\}/g, "$1")
    .replaceAll(/\{\{-?\s*TrackView(?:\s+\.)?\s*-?\}\}/g, "")
    .replaceAll("@TrackLink", "");
}

/** Whatever a converted text still has of theirs: it would mean something else here. Null if there is nothing. */
export function unknownExpression(converted: string): string | null {
  const expressions = converted.match(/\{\{.*?\}\}/gs) ?? [];
  return expressions.find((expression) => !/^\{\{\w+(?:\.\w+)*\}\}$/.test(expression)) ?? null;
}
