// Steps in the OpenAPI document: one schema for each type, with the config that this type has.
import { type TSchema, Type } from "@sinclair/typebox";
import { STEP_TYPES, type StepTypeName, stepTypeOf } from "../../automation/steps/mod.ts";
import { IdOf } from "../entry/schemas.ts";
import type { ConfigSchema } from "../../automation/steps/step_type.ts";

type JsonSchema = Record<string, unknown>;

const ADDED = STEP_TYPES.filter((type) => stepTypeOf({ type }).place !== "start");

/** The config of any step type. */
export const ANY_CONFIG: JsonSchema = { anyOf: STEP_TYPES.map(configOf) };

/**
 * A step by its type: the fields that all have, and its own config. The trigger is added with its workflow. A step of a draft
 * may lack its template.
 */
export function stepsByType(
  noun: string,
  common: Record<string, TSchema>,
  { types = ADDED, isDraft = false } = {},
): JsonSchema {
  return {
    oneOf: types.map((type) => stepOf(noun, type, { common, isDraft })),
    discriminator: {
      propertyName: "type",
      mapping: Object.fromEntries(types.map((type) => [type, `#/components/schemas/${nameOf(noun, type)}`])),
    },
  };
}

function stepOf(
  noun: string,
  type: StepTypeName,
  { common, isDraft }: { common: Record<string, TSchema>; isDraft: boolean },
): JsonSchema {
  const { schema, sendsTemplate } = stepTypeOf({ type });
  const needsTemplate = sendsTemplate === true && !isDraft;
  return {
    title: nameOf(noun, type),
    type: "object",
    properties: {
      ...common,
      type: { type: "string", enum: [type] },
      config: configOf(type),
      ...(needsTemplate && { templateId: IdOf("a template") }),
    },
    required: [
      ...(Type.Object(common).required ?? []),
      ...(needsConfig(schema) ? ["config"] : []),
      ...(needsTemplate ? ["templateId"] : []),
    ],
  };
}

function configOf(type: StepTypeName): JsonSchema {
  return { title: nameOf("Config", type), ...stepTypeOf({ type }).schema };
}

function needsConfig(schema: ConfigSchema): boolean {
  return "anyOf" in schema ? schema.anyOf.every(needsConfig) : (schema.required ?? []).length > 0;
}

/** `SendEmailConfig` of `SEND_EMAIL`. */
function nameOf(noun: string, type: StepTypeName): string {
  const words = type.toLowerCase().split("_");
  return words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join("") + noun;
}
