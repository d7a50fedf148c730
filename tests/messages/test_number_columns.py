"""Which column of an export has the phones, and what is advised where none has, or a cell is empty."""

import pytest
from support.issue_facts import fact_of
from support.refusals import refused

import campaign
from campaign.errors import ColumnError

EXPORTS = {
    "Outlook": (
        "First Name,Assistant's Phone,Business Fax,Business Phone,Car Phone,Company Main Phone,Home Phone,"
        "Mobile Phone,Other Phone,Pager,Primary Phone,Radio Phone,TTY/TDD Phone,Telex",
        ["Mobile Phone"],
    ),
    "Outlook in French": (
        "Prénom,Télécopie (bureau),Téléphone (bureau),Téléphone (domicile),Tél. mobile,Téléphone société,"
        "Téléphone de l'assistant(e)",
        ["Tél. mobile"],
    ),
    "Outlook in German": (
        "Vorname,Fax geschäftlich,Telefon geschäftlich,Telefon Firma,Telefon (privat),Mobiltelefon,"
        "Telefon Assistent",
        ["Mobiltelefon"],
    ),
    "iCloud": ("First name,Mobile,Home phone,iPhone,Work phone", ["Mobile"]),
    "Google Contacts": (
        "First Name,Phone 1 - Label,Phone 1 - Value,Phone 2 - Label,Phone 2 - Value",
        ["Phone 1 - Value", "Phone 2 - Value"],
    ),
    "Salesforce": (
        "Id,Phone,MobilePhone,HomePhone,AssistantPhone,DoNotCall,HasOptedOutOfFax",
        ["MobilePhone"],
    ),
    "Zoho": ("Record Id,Phone,Mobile,Home Phone,Asst Phone,Fax,Email Opt Out", ["Mobile"]),
    "HubSpot": (
        "Record ID,First Name,Phone Number,Opted out of email,Unsubscribed from all email",
        ["Phone Number"],
    ),
    "Mailchimp": (
        "Email Address,Phone Number,MEMBER_RATING,OPTIN_TIME,CONFIRM_TIME,TIMEZONE,LAST_CHANGED,NOTES,TAGS",
        ["Phone Number"],
    ),
    "Klaviyo": ("Email,Phone Number,SMS Consent,SMS Consent Timestamp", ["Phone Number"]),
    "CiviCRM": ("Contact ID,Phone,Do not phone,Do not sms", ["Phone"]),
    "Brevo": ("EMAIL,Phone,Phone Blacklisted,SMS Blacklisted", ["Phone"]),
    "WooCommerce": ("Order ID,Billing First Name,Billing Phone,Order Status", ["Billing Phone"]),
    "Eventbrite": ("Order ID,Attendee Status,Cell Phone,Home Phone,Work Phone", ["Cell Phone"]),
    "Facebook": ("id,created_time,ad_name,form_id,full_name,phone_number,lead_status", ["phone_number"]),
    "Typeform": ("#,What's your name?,What's your phone number?,Network ID", ["What's your phone number?"]),
    "Google Forms": ("Timestamp,Name,Phone number (with country code)", ["Phone number (with country code)"]),
    "SurveyMonkey": ("Respondent ID,What is your phone number?", ["What is your phone number?"]),
    "KoboToolbox": (
        "start,_2_What_is_your_phone_number,consent,_id,_submission_time",
        ["_2_What_is_your_phone_number"],
    ),
    "OpenMRS": ("Patient Identifier,Telephone Number,Next of Kin Phone", ["Telephone Number"]),
    "DHIS2": ("Tracked entity instance,Organisation unit,Phone number", ["Phone number"]),
    "a list of numbers": ("Name,Unsubscribed phone", ["Unsubscribed phone"]),
}


def prepare(text, **options):
    contacts = campaign.read_contacts(text.encode())
    return campaign.prepare(contacts, message="Hi", sender="CLINIC", region="UG", **options)


@pytest.mark.parametrize("tool", EXPORTS)
def test_the_column_of_the_phones_in_an_export(tool):
    header, columns = EXPORTS[tool]
    assert (
        list(prepare(f"{header}\n{','.join(['1'] * len(header.split(',')))}\n").addressing.columns) == columns
    )


def test_of_many_phones_each_row_is_advised_to_copy_its_own_most_likely_one():
    plan = prepare(
        "First Name,Assistant's Phone,Business Phone,Company Main Phone,Home Phone,Mobile Phone,Other Phone\n"
        "Ann,0414000009,0414000001,,,0772000001,\n"
        "Ben,0414000009,,,0772000002,,\n"
        "Cas,0414000009,,0414000003,,,\n"
        "Dan,0414000009,0414000004,,,,0772000008\n"
    )
    assert plan.contacts["status"].tolist() == ["not_sent", "invalid", "invalid", "invalid"]
    assert fact_of(plan, "missing_number", "elsewhere") == ["Home Phone", "", "Other Phone"]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Name,Q2\nAnn,0772 000 001\nBen,\n", "Q2"),
        ("ID,Code,WA\n1143245678,x,whatsapp:+256772000001\n", "WA"),
        ("ID,Joined,Reach\n1143245678,2025-11-12,772000001\n1143245679,2025-11-13,0772000002\n", "Reach"),
        ("EMAIL,SMS,Phone Blacklisted\na@example.org,256772000001,false\n", "SMS"),
        ("Name,Age,Joined\nAnn,33,2025-11-12\n", ""),
        ("Name,Amount\nAnn,\n", ""),
    ],
)
def test_without_a_header_of_phones_the_column_is_named_whose_cells_look_like_some(text, named):
    with refused("number_column_missing", ColumnError, likely=named):
        prepare(text)
    if named:
        assert prepare(text, number=named).addressing.columns == (named,)
